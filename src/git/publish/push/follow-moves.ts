// Puts what a commit changes where the target has it now, if others have moved the files or their directory meanwhile.

import { type ObjectId } from "../object.ts";
import type { FileMode, TreeFile } from "../tree.ts";
import { type Moves, movesInTarget, type MovesContext } from "./moves-in-target.ts";
import type { MadeTree } from "./compared-base.ts";

export interface PickedSide {
  readonly mode: FileMode;
  readonly id: ObjectId;
  readonly bytes: Uint8Array;
}

export interface PickedFile {
  /** As the commit names it. */
  readonly path: string;
  /** Where it lands. */
  readonly at: string;
  /** In the session, before and after the commit. */
  readonly before: PickedSide | null;
  readonly after: PickedSide | null;
  /** In the state that the commit is picked onto. */
  readonly now: TreeFile | null;
}

export interface PickConflict {
  readonly path: string;
  /** What stands in the way. Not the target's content: the agent may be allowed to push there, and not to read. */
  readonly reason: string;
}

/** `made` is the state that the commit was made on; null if it cannot be read. */
export async function followMoves(
  picked: readonly PickedFile[],
  made: () => Promise<MadeTree | null>,
  context: MovesContext,
): Promise<{ readonly files: readonly PickedFile[]; readonly conflicts: readonly PickConflict[] }> {
  const asIs = { files: picked, conflicts: [] };
  if (!(await someMissing(picked, context))) return asIs;
  const tree = await made();
  const moves = tree === null ? null : await movesInTarget(tree, context);
  if (moves === null) return asIs;
  const conflicts: PickConflict[] = [];
  const byPath = new Map(picked.map((file) => [file.path, file]));
  for (const file of picked) {
    const one = follow(file, moves, byPath);
    if (one === null) continue;
    if ("reason" in one) conflicts.push({ path: file.path, reason: one.reason });
    else byPath.set(one.path, { ...one, now: await context.onto.find(one.at) });
  }
  const files = [...byPath.values()];
  const places = new Map<string, string>();
  for (const { path, at, after } of files) {
    if (after !== null && places.has(at))
      conflicts.push({ path, reason: "two files of the commit would be one there" });
    if (after !== null) places.set(at, path);
  }
  return { files, conflicts };
}

async function someMissing(picked: readonly PickedFile[], { onto }: MovesContext): Promise<boolean> {
  for (const { path, before, now } of picked) {
    if (now !== null) continue;
    const slash = path.lastIndexOf("/");
    if (before !== null || (slash > 0 && !(await onto.hasDirectory(path.slice(0, slash))))) return true;
  }
  return false;
}

/** The file at its new place; null if it stays. */
function follow(
  file: PickedFile,
  moves: Moves,
  byPath: ReadonlyMap<string, PickedFile>,
): PickedFile | { readonly reason: string } | null {
  const { path, before, after, now } = file;
  if (now !== null) return null;
  if (before === null) {
    const moved = moves.newFile(path);
    if (moved === "split") return { reason: "the target has moved its directory to several places" };
    return moved === null ? null : { ...file, at: moved.path };
  }
  const to = moves.file(path);
  if (to === null) return null;
  if (after !== null) return { ...file, at: to };
  const own = byPath.get(to);
  // Both sides have moved it there.
  if (own?.before === null && own.after !== null) return { ...own, before };
  return { reason: "the commit deletes or moves it, and the target has moved it elsewhere" };
}
