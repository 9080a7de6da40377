// Builds new trees from an existing tree and a list of changes. It reads only the directories that change, and makes only the
// trees that are new. Entries that the changes do not name stay as they are, including names that are not text, odd modes and
// submodules.
// Invariant: either every change fits, or nothing is built and the failure names each change that does not fit.

import { fail, ok, type Result } from "../../shared/result.ts";
import { DiskNames } from "./disk-names.ts";
import { type GitObject, makeObject, type ObjectHash, type ObjectId } from "./object.ts";
import { byteText, encodeTree, type EntryKind, entryKind, type TreeEntry } from "./tree-entry.ts";
import { shownPath, treePathProblem } from "./tree-path.ts";

export interface TreeSource {
  /** The entries of one tree. Callers may read many trees at once. Throws if the tree cannot be read. */
  read(id: ObjectId): Promise<readonly TreeEntry[]>;
}

export type FileMode = "100644" | "100755" | "120000";

/** Old trees have modes such as 100664, which git takes for the next of the three that it makes. */
export function fileMode(mode: string): FileMode {
  if (entryKind(mode) === "symlink") return "120000";
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? "100644" : "100755";
}

export type FileChange =
  | { readonly path: string; readonly mode: FileMode; readonly id: ObjectId; readonly size: number }
  | { readonly path: string; readonly mode: null };

/** A file or a symbolic link in a tree. `mode` is written as in the tree. */
export interface TreeFile {
  readonly mode: string;
  readonly id: ObjectId;
}

export interface TreeFileChange {
  readonly path: string;
  readonly before: TreeFile | null;
  readonly after: TreeFile | null;
}

export interface BuiltTree {
  readonly id: ObjectId;
  /** The trees that are new against the base, children before parents. */
  readonly objects: readonly GitObject[];
  /** Each path's state before and after, in the order of the changes. The two states may be equal. */
  readonly changes: readonly TreeFileChange[];
}

export interface TreeContext {
  readonly hash: ObjectHash;
  readonly source: TreeSource;
}

interface ChangeNode {
  change: FileChange | null;
  below: Map<string, ChangeNode> | null;
}

interface Work extends TreeContext {
  readonly problems: Set<string>;
  readonly objects: Map<ObjectId, GitObject>;
  readonly before: Map<string, TreeFile>;
}

const PROBLEMS_SHOWN = 50;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** `base` is the id of a tree, or null for an empty tree. */
export async function buildTree(
  base: ObjectId | null,
  changes: readonly FileChange[],
  context: TreeContext,
): Promise<Result<BuiltTree>> {
  const root = changeTreeOf(changes);
  if (!root.ok) return root;
  const work: Work = { ...context, problems: new Set(), objects: new Map(), before: new Map() };
  const id = await buildDirectory(root.value, base, "", work);
  if (work.problems.size > 0) return refuse("conflict", [...work.problems].sort());
  return ok({
    id: id ?? (await addTree([], base, work)),
    objects: [...work.objects.values()],
    changes: changes.map((change) => ({
      path: change.path,
      before: work.before.get(change.path) ?? null,
      after: change.mode === null ? null : { mode: change.mode, id: change.id },
    })),
  });
}

function changeTreeOf(changes: readonly FileChange[]): Result<ChangeNode> {
  const root: ChangeNode = { change: null, below: null };
  const problems: string[] = [];
  for (const change of changes) {
    const problem = treePathProblem(change.path);
    if (problem !== null) {
      problems.push(`${shownPath(change.path)} ${problem}.`);
      continue;
    }
    let node = root;
    for (const name of change.path.split("/")) {
      node.below ??= new Map();
      let next = node.below.get(name);
      if (next === undefined) node.below.set(name, (next = { change: null, below: null }));
      node = next;
    }
    if (node.change !== null) problems.push(`${shownPath(change.path)} is named twice.`);
    node.change = change;
    // A program that follows such a link would read the addresses of another repository. Git's own check refuses it as well.
    if (change.mode === "120000" && /(?:^|\/)\.gitmodules$/i.test(change.path))
      problems.push(`${shownPath(change.path)} must not be a symbolic link.`);
  }
  return problems.length === 0 ? ok(root) : refuse("invalid_args", problems);
}

/** The id of the new directory; null if nothing is left in it. */
async function buildDirectory(
  node: ChangeNode,
  base: ObjectId | null,
  path: string,
  work: Work,
): Promise<ObjectId | null> {
  const entries = new Map<string, TreeEntry>();
  for (const entry of base === null ? [] : await work.source.read(base)) entries.set(byteText(entry.name), entry);
  const created: string[] = [];
  const pending: Promise<void>[] = [];
  for (const [text, child] of node.below ?? []) {
    const name = encoder.encode(text);
    const key = byteText(name);
    const there = entries.get(key) ?? null;
    const settle = (becomes: TreeFile | null): void => {
      if (becomes === null) entries.delete(key);
      else entries.set(key, { mode: becomes.mode, name, id: becomes.id });
      if (there === null && becomes !== null) created.push(text);
    };
    const childPath = path === "" ? text : `${path}/${text}`;
    if (child.below === null) settle(buildFile(child, there, childPath, work));
    else pending.push(buildBelow(child, there, childPath, work).then(settle));
  }
  await Promise.all(pending);
  if (created.length > 0) findCollisions(created, entries, path, work);
  return entries.size === 0 ? null : addTree([...entries.values()], base, work);
}

/** The new entry at a name that the changes write as a file or delete; null if there is none. */
function buildFile({ change }: ChangeNode, there: TreeEntry | null, path: string, work: Work): TreeFile | null {
  const kind = readEntry(change, there, path, work);
  if (kind === "misfit") return there;
  if (change === null || change.mode === null) return null;
  if (kind === "directory")
    return refuseChange("is to be a file, but the target has a directory there.", there, path, work);
  return { mode: change.mode, id: change.id };
}

/** The new entry at a name that has changes below it, and perhaps a change of its own. */
async function buildBelow(
  child: ChangeNode,
  there: TreeEntry | null,
  path: string,
  work: Work,
): Promise<TreeFile | null> {
  const { change } = child;
  const kind = readEntry(change, there, path, work);
  if (kind === "misfit") return there;
  if (change === null && kind === "symlink")
    return refuseChange(
      "is a symbolic link in the target: nothing is written or deleted through it.",
      there,
      path,
      work,
    );
  if (change === null && kind === "file")
    return refuseChange("is a file in the target, and cannot be a directory as well.", there, path, work);
  const directory = await buildDirectory(child, there !== null && kind === "directory" ? there.id : null, path, work);
  const isWritten = change !== null && change.mode !== null;
  if (isWritten && directory !== null)
    return refuseChange("is to be a file, but there are files below it.", there, path, work);
  if (isWritten) return { mode: change.mode, id: change.id };
  return directory === null ? null : { mode: "40000", id: directory };
}

/** Notes what the target has at the name, and returns its kind; "misfit" if no change of this kind is possible there. */
function readEntry(
  change: FileChange | null,
  there: TreeEntry | null,
  path: string,
  work: Work,
): EntryKind | "nothing" | "misfit" {
  const kind = there === null ? "nothing" : entryKind(there.mode);
  if (there !== null && (kind === "file" || kind === "symlink"))
    work.before.set(path, { mode: there.mode, id: there.id });
  let problem = "";
  if (kind === "submodule") problem = "is a submodule of the target, whose files belong to another repository.";
  else if (change?.mode === null && kind === "nothing") problem = "is to be deleted, but the target has no such file.";
  else if (change?.mode === null && kind === "directory")
    problem = "is to be deleted, but is a directory in the target: name its files.";
  if (problem === "") return kind;
  refuseChange(problem, there, path, work);
  return "misfit";
}

// A change that does not fit leaves the entry unchanged, so that the other changes are checked as if this one were absent.
function refuseChange(problem: string, there: TreeEntry | null, path: string, work: Work): TreeFile | null {
  work.problems.add(`${shownPath(path)} ${problem}`);
  return there;
}

async function addTree(entries: readonly TreeEntry[], base: ObjectId | null, work: Work): Promise<ObjectId> {
  const tree = await makeObject(work.hash, "tree", encodeTree(entries, work.hash.format));
  if (tree.id !== base) work.objects.set(tree.id, tree);
  return tree.id;
}

// On some disks, a link and a directory whose names differ only in case are one path, and the link would lead out of the tree.
function findCollisions(
  created: readonly string[],
  entries: ReadonlyMap<string, TreeEntry>,
  path: string,
  work: Work,
): void {
  const names = new DiskNames();
  for (const [key, { name }] of entries) names.add(/^[\x20-\x7e]*$/.test(key) ? key : decoder.decode(name));
  for (const text of created) {
    const same = names.same(text);
    if (same.length < 2) continue;
    const all = same.sort().map((name) => shownPath(path === "" ? name : `${path}/${name}`));
    work.problems.add(`${all.join(" and ")} are one file on some disks.`);
  }
}

function refuse(error: "invalid_args" | "conflict", problems: readonly string[]): ReturnType<typeof fail> {
  const [first = ""] = problems;
  if (problems.length === 1) return fail(error, first);
  const rest = problems.length - PROBLEMS_SHOWN;
  return fail(error, `${problems.length} of the changes do not fit, the first: ${first}`, {
    because: [...problems.slice(0, PROBLEMS_SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])],
  });
}
