// Picks one commit of a session onto another state than the one it was made on: what the commit changed is changed there, and what others
// changed stays, also where they have moved it. No work tree and no git is needed, so every kind of target is treated alike.
// Invariant: a file that both sides changed is merged line by line, or is a conflict. Nothing is overwritten.

import { mergeLines } from "../merge-lines.ts";
import { objectId } from "../object.ts";
import { findRenames } from "../rename.ts";
import { encodeText, looksBinary } from "../text-content.ts";
import { byteText } from "../tree-entry.ts";
import { fileMode, type FileMode, type TreeFile } from "../tree.ts";
import type { FilePair, FileSide } from "../diff.ts";
import type { FileState, StagedFile } from "../../staged.ts";
import type { MadeTree } from "./compared-base.ts";
import { followMoves, type PickConflict, type PickedFile, type PickedSide } from "./follow-moves.ts";
import type { MovesContext } from "./moves-in-target.ts";
import type { ChangedFile } from "./onto-tree.ts";
import { type ConflictFile, conflictSides } from "./shown-conflict.ts";

export interface PickedCommit {
  readonly changes: readonly ChangedFile[];
  readonly conflicts: readonly PickConflict[];
  /** Files that land under other names than the commit has, because the target has moved them. */
  readonly followed: readonly { readonly path: string; readonly at: string }[];
}

export interface PickSource extends MovesContext {
  /** The state that the commit was made on; null if it cannot be read. */
  readonly made: () => Promise<MadeTree | null>;
  /** The bytes of a state of the session. */
  readonly content: (state: FileState) => Uint8Array;
}

export interface PickContext extends PickSource {
  /** Given each conflict of a file with the text of both sides. Null if nobody may see the target's. */
  readonly onConflict: ((file: ConflictFile) => void) | null;
}

export async function pickCommit(files: readonly StagedFile[], context: PickContext): Promise<PickedCommit> {
  const found = await Promise.all(files.map((file) => lookUp(file, context)));
  const { files: picked, conflicts: misplaced } = await followMoves(found, context.made, context);
  const moved = movedFiles(picked);
  const changes: ChangedFile[] = [];
  const conflicts: PickConflict[] = [...misplaced];
  const arrived = new Set(moved.values());
  for (const file of picked) {
    if (arrived.has(file)) continue; // comes with the file that it was
    const to = moved.get(file);
    const one = to === undefined ? await pickFile(file, context) : await pickMoved(file, to, context);
    if ("reason" in one) {
      conflicts.push({ path: file.path, reason: one.reason });
      const after = to?.after ?? file.after;
      context.onConflict?.({ path: file.path, reason: one.reason, sides: await sidesOf({ ...file, after }, context) });
    } else changes.push(...one.changes);
  }
  return { changes, conflicts, followed: picked.filter(({ path, at }) => path !== at) };
}

async function lookUp({ path, before, after }: StagedFile, { onto, hash, content }: PickContext): Promise<PickedFile> {
  const sideOf = async (state: FileState | null): Promise<PickedSide | null> => {
    if (state === null) return null;
    const bytes = content(state);
    return { mode: state.mode, id: await objectId(hash, "blob", bytes), bytes };
  };
  return { path, at: path, before: await sideOf(before), after: await sideOf(after), now: await onto.find(path) };
}

/** Files that the commit moved, and that others have changed under their old name. */
function movedFiles(picked: readonly PickedFile[]): Map<PickedFile, PickedFile> {
  const isChangedByOthers = ({ before, after, now }: PickedFile) =>
    before !== null && after === null && now !== null && !isSame(now, before);
  const found = new Map<PickedFile, PickedFile>();
  if (!picked.some(isChangedByOthers)) return found;
  const byPath = new Map(picked.map((file) => [file.path, file]));
  for (const { from, to } of findRenames(picked.map(pairOf))) {
    const [source, target] = [byPath.get(from.path), byPath.get(to.path)];
    if (source !== undefined && target !== undefined && isChangedByOthers(source) && target.now === null)
      found.set(source, target);
  }
  return found;
}

function pairOf({ path, before, after }: PickedFile): FilePair {
  const side = (one: PickedSide | null): FileSide | null =>
    one === null ? null : { mode: one.mode, id: one.id, content: one.bytes };
  return { path, before: side(before), after: side(after) };
}

function isSame(now: TreeFile | null, side: PickedSide | null): boolean {
  if (now === null || side === null) return now === null && side === null;
  return now.id === side.id && fileMode(now.mode) === side.mode;
}

type Picked = { readonly changes: readonly ChangedFile[] } | { readonly reason: string };

async function pickFile(file: PickedFile, context: PickContext): Promise<Picked> {
  const { at: path, before, after, now } = file;
  if (isSame(now, after)) return { changes: [] };
  if (isSame(now, before)) return { changes: [{ path, after }] };
  if (before === null) return { reason: "both sides made a file of this name" };
  if (after === null) return { reason: "the commit deletes it, and the target has changed it" };
  if (now === null)
    return { reason: "the commit changes it, and the target has deleted it, or moved it where it is not found" };
  const merged = await merge(path, before, now, after, context);
  return "reason" in merged ? merged : { changes: [{ path, after: merged.side }] };
}

/** The file moves, and takes along what others have changed in it. */
async function pickMoved(from: PickedFile, to: PickedFile, context: PickContext): Promise<Picked> {
  if (from.before === null || from.now === null || to.after === null) throw new Error("a moved file was and is");
  const merged = await merge(from.path, from.before, from.now, to.after, context);
  if ("reason" in merged) return merged;
  return {
    changes: [
      { path: from.path, after: null },
      { path: to.at, after: merged.side },
    ],
  };
}

async function sidesOf({ before, now, after }: PickedFile, { onto }: PickContext): Promise<string> {
  if ([before?.mode, now?.mode, after?.mode].some((mode) => mode === "120000" || mode === "160000")) return "";
  const target = now === null ? undefined : (await onto.readBlobs([now.id])).get(now.id);
  const none = new Uint8Array();
  return conflictSides(before?.bytes ?? none, target ?? none, after?.bytes ?? none);
}

const LINES_NAMED = 5;

type Merged = { readonly side: { readonly mode: FileMode; readonly bytes: Uint8Array } } | { readonly reason: string };

async function merge(
  path: string,
  before: PickedSide,
  now: TreeFile,
  after: PickedSide,
  { onto }: PickContext,
): Promise<Merged> {
  const modeNow = fileMode(now.mode);
  if ([before.mode, modeNow, after.mode].includes("120000") || now.mode === "160000")
    return { reason: "both sides changed it, and it is or was a link" };
  const mode = after.mode === before.mode ? modeNow : after.mode;
  if (now.id === before.id || now.id === after.id) return { side: { mode, bytes: after.bytes } };
  const ours = (await onto.readBlobs([now.id])).get(now.id);
  if (ours === undefined) throw new Error(`the target did not supply ${path}`);
  if (after.id === before.id) return { side: { mode, bytes: ours } };
  if ([before.bytes, ours, after.bytes].some(looksBinary))
    return { reason: "both sides changed it, and it is not text" };
  // One character for each byte, so that every encoding comes out as it went in.
  const texts = [before.bytes, ours, after.bytes].map(byteText) as [string, string, string];
  const { text, conflicts } = mergeLines(...texts, { ours: "target", theirs: "commit" });
  if (conflicts.length === 0) return { side: { mode, bytes: encodeText(text, "latin1") } };
  const lines = [...new Set(conflicts)].slice(0, LINES_NAMED);
  const more = conflicts.length > LINES_NAMED ? " and more" : "";
  return {
    reason: `both sides changed the same lines, near ${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`,
  };
}
