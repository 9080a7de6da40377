// Plans how changes that were made on a copy of a work tree enter the work tree as it is now, three-way: a file that the person has not
// touched is replaced, one that both have changed is merged, and what cannot be merged is left. It only reads.
// Invariant: it follows no link. A file of the person is deleted only if it is what the copy began with.

import { lstatSync, readlinkSync } from "node:fs";
import { type DirectoryHandle, nameIn, splitPath } from "../../../process/directory-handle.ts";
import { nodeHashes } from "../../../process/node-hashes.ts";
import { readPlainFile } from "../../../process/plain-file.ts";
import { latin1Text } from "../../../shared/bytes.ts";
import { errorCode } from "../../../shared/error-code.ts";
import { limits } from "../../../shared/limits.ts";
import { blobId } from "../../object-hash.ts";
import type { FilePair, FileSide } from "../../publish/diff.ts";
import { mergeLines, type MergeLabels } from "../../publish/merge-lines.ts";
import { looksBinary } from "../../publish/text-content.ts";
import { treePathProblem } from "../../publish/tree-path.ts";
import type { LandedFile } from "../target.ts";
import { compareFile, type DiskRules, isExecutableMode } from "./work-tree-file.ts";

export interface MergedWorkTree {
  /** `before` is what the person has now, by the format of the rules. */
  readonly changes: readonly MergedFile[];
  /** Files that stay as the person has them, with the reason. */
  readonly left: ReadonlyMap<string, string>;
  /** Paths at which the person has what the copy has. */
  readonly same: readonly string[];
}

export interface MergedFile extends LandedFile {
  /** What the person has now; null if there is no file. */
  readonly now: Uint8Array | null;
  /** `merged`: the person has changed the file too. */
  readonly how: "replaced" | "merged" | "conflict";
}

type Planned = MergedFile | { readonly left: string } | "same";

export function planMerge(
  handle: DirectoryHandle,
  pairs: readonly FilePair[],
  rules: DiskRules,
  labels: MergeLabels,
): MergedWorkTree {
  const changes: MergedFile[] = [];
  const left = new Map<string, string>();
  const same: string[] = [];
  for (const pair of pairs) {
    const planned = planPair(handle, pair, rules, labels);
    if (planned === "same") same.push(pair.path);
    else if ("left" in planned) left.set(pair.path, planned.left);
    else changes.push(planned);
  }
  return { changes, left, same };
}

interface DiskFile {
  readonly mode: string;
  readonly content: Uint8Array;
}

function planPair(handle: DirectoryHandle, pair: FilePair, rules: DiskRules, labels: MergeLabels): Planned {
  const { path, before, after } = pair;
  const wrong = treePathProblem(path);
  if (wrong !== null) return { left: wrong };
  if (after?.unreadBytes !== undefined) return { left: `is too large (${after.unreadBytes} bytes)` };
  const [directory, name] = splitPath(path);
  // SECURITY(T36): the directory is held open, and a link in its place is not entered.
  return handle.enter(directory, (opened): Planned => {
    // Whether there is room for a new file is for `planWorkTree` to say: what is in the way may leave.
    if (opened.is === "blocked" && before === null) return changeOf(path, null, after, "replaced", rules);
    if (opened.is === "blocked") return { left: `cannot be reached: ${opened.at} is ${opened.by}` };
    const at = opened.is === "open" ? nameIn(opened.descriptor, name) : null;
    const now = at === null ? null : readDisk(at);
    if (now === "directory" && before === null) return changeOf(path, null, after, "replaced", rules);
    if (typeof now === "string") return { left: now === "directory" ? "is a directory there" : now };
    if (isSameFile(now, after, rules)) return "same";
    const isUntouched = before === null ? now === null : at !== null && isBase(at, before, rules);
    if (isUntouched) return changeOf(path, now, after, "replaced", rules);
    if (now === null) return { left: "you have deleted it, and the session has changed it" };
    if (after === null) return { left: "you have changed it, and the session has deleted it" };
    return mergeFile(path, before, now, after, rules, labels);
  });
}

/** Null if there is nothing. Text: why it cannot be read as a file. */
function readDisk(at: string): DiskFile | string | null {
  try {
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (found.isSymbolicLink()) return { mode: "120000", content: readlinkSync(at, "buffer") };
    if (found.isDirectory()) return "directory";
    if (!found.isFile()) return "is neither a file nor a link there";
    const content = readPlainFile(at, limits.workspaceFileBytes);
    if (content === null) return "cannot be read there, or is too large";
    return { mode: (found.mode & 0o100) === 0 ? "100644" : "100755", content };
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return `cannot be read there (${errorCode(error)})`;
  }
}

function isBase(at: string, { mode, content }: FileSide, rules: DiskRules): boolean {
  return compareFile(at, { mode, id: idOf(content, rules) }, rules).is === "same";
}

function isSameFile(now: DiskFile | null, after: FileSide | null, rules: DiskRules): boolean {
  if (now === null || after === null) return now === after;
  const isSameMode = rules.hasFileMode
    ? now.mode === after.mode
    : (now.mode === "120000") === (after.mode === "120000");
  return isSameMode && Buffer.compare(now.content, after.content) === 0;
}

function mergeFile(
  path: string,
  before: FileSide | null,
  now: DiskFile,
  after: FileSide,
  rules: DiskRules,
  labels: MergeLabels,
): Planned {
  const sides = [now, after, ...(before === null ? [] : [before])];
  if (sides.some(({ mode }) => mode === "120000")) return { left: "both have changed it, and it is a link" };
  if (sides.some(({ content }) => looksBinary(content))) return { left: "both have changed it, and it is not text" };
  const texts = [before?.content ?? new Uint8Array(0), now.content, after.content].map(latin1Text);
  const [base = "", ours = "", theirs = ""] = texts;
  const { text, conflicts } = mergeLines(base, ours, theirs, labels);
  const mode = before !== null && isExecutableMode(now.mode) !== isExecutableMode(before.mode) ? now.mode : after.mode;
  const merged = { mode, content: Buffer.from(text, "latin1") };
  if (isSameFile(now, { ...merged, id: "" }, rules)) return "same";
  return changeOf(path, now, merged, conflicts.length > 0 ? "conflict" : "merged", rules);
}

function changeOf(
  path: string,
  now: DiskFile | null,
  after: DiskFile | null,
  how: MergedFile["how"],
  rules: DiskRules,
): MergedFile {
  return {
    path,
    before: now === null ? null : { mode: now.mode, id: idOf(now.content, rules) },
    after: after === null ? null : { mode: after.mode, id: idOf(after.content, rules), content: after.content },
    now: now?.content ?? null,
    how,
  };
}

function idOf(content: Uint8Array, { format }: DiskRules): string {
  return blobId(format, content, nodeHashes);
}
