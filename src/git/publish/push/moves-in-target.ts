// Finds what others have moved in the target, as git does: against the state that a commit of a session was made on. Files that are gone
// there and reappear under another name are moved files; a directory that is gone follows most of its files.
// Invariant: only names that the agent may change are looked at. The agent can write the state it is compared with, so a wrong answer must
// do no harm: a person sees where each file lands.

import { fileMode, type TreeFile } from "../tree.ts";
import { entryKind } from "../tree-entry.ts";
import type { FilePair, FileSide } from "../diff.ts";
import { objectId, type ObjectHash } from "../object.ts";
import { findRenames } from "../rename.ts";
import type { MadeTree } from "./compared-base.ts";
import type { OntoTree } from "./onto-tree.ts";

export interface Moves {
  /** Where a file of the commit's own base is now; null if it is nowhere. */
  file(path: string): string | null;
  /** Where a new file belongs whose directory has moved; null if that has not, `split` if it went to several places alike. */
  newFile(path: string): { readonly path: string } | "split" | null;
}

export interface MovesContext {
  readonly onto: OntoTree;
  readonly hash: ObjectHash;
  /** Where the workspace lies in the repository; "" if it is the whole. */
  readonly below: string;
  /** Whether a path of the repository may be changed by the agent. */
  readonly mayChange: (path: string) => boolean;
}

// Files are compared line by line only if there are not more of them, on either side.
const COMPARED_FILES = 400;
const COMPARED_BYTES = 4 * 1024 * 1024;

/** Null if it cannot be found out. */
export async function movesInTarget(made: MadeTree, context: MovesContext): Promise<Moves | null> {
  const { onto, below, mayChange } = context;
  const entries =
    below === "" ? made.entries : new Map([...made.entries].map(([path, one]) => [`${below}/${path}`, one]));
  const now = await onto.list(below, (path, id) => entries.get(path)?.id === id);
  if (now === null) return null;
  const isFile = ({ mode }: TreeFile) => entryKind(mode) === "file" || entryKind(mode) === "symlink";
  const gone = [...entries].filter(
    ([path, entry]) => isFile(entry) && !now.files.has(path) && !isBelow(path, now.same),
  );
  const fresh = [...now.files].filter(([path, entry]) => isFile(entry) && !entries.has(path) && mayChange(path));
  const files = await movedFiles(new Map(gone), new Map(fresh), made, context);
  const directories = movedDirectories(files, now.directories);
  return {
    file: (path) => files.get(path) ?? null,
    newFile(path) {
      // As in git, only a directory that was there before.
      const from = directoryOf(path) ?? "";
      const to = directories.get(from);
      if (to === undefined) return null;
      if (to === null) return "split";
      const moved = `${to}${path.slice(from.length)}`.replace(/^\//, "");
      return mayChange(moved) ? { path: moved } : null;
    },
  };
}

function isBelow(path: string, directories: ReadonlySet<string>): boolean {
  for (let at = directoryOf(path); at !== null; at = directoryOf(at)) if (directories.has(at)) return true;
  return false;
}

function directoryOf(path: string): string | null {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? null : path.slice(0, slash);
}

type Files = ReadonlyMap<string, TreeFile>;

/** First by equal content, which needs no reading where the ids are of one format; then by shared lines. */
async function movedFiles(
  gone: Files,
  fresh: Files,
  made: MadeTree,
  context: MovesContext,
): Promise<Map<string, string>> {
  const nothing = new Uint8Array();
  const side = ({ mode, id }: TreeFile, content: Uint8Array): FileSide => ({ mode: fileMode(mode), id, content });
  const moved = new Map<string, string>();
  const add = (pairs: readonly FilePair[]) => {
    for (const { from, to } of findRenames(pairs)) moved.set(from.path, to.path);
  };
  add([
    ...[...gone].map(([path, file]) => ({ path, before: side(file, nothing), after: null })),
    ...[...fresh].map(([path, file]) => ({ path, before: null, after: side(file, nothing) })),
  ]);
  const arrived = new Set(moved.values());
  const left = [...gone].filter(([path]) => !moved.has(path));
  const right = [...fresh].filter(([path]) => !arrived.has(path));
  if (left.length === 0 || right.length === 0 || Math.max(left.length, right.length) > COMPARED_FILES) return moved;
  const was = await made.read(left.map(([, { id }]) => id));
  const is = await context.onto.readBlobs(
    right.map(([, { id }]) => id),
    COMPARED_BYTES,
  );
  if (!was.ok) return moved;
  const before = await Promise.all(
    left.map(async ([path, { mode, id }]): Promise<FilePair> => {
      const content = was.value.get(id) ?? nothing;
      return { path, before: side({ mode, id: await objectId(context.hash, "blob", content) }, content), after: null };
    }),
  );
  const after = right.flatMap(([path, file]): FilePair[] => {
    const content = is.get(file.id);
    return content === undefined ? [] : [{ path, before: null, after: side(file, content) }];
  });
  add([...before, ...after]);
  return moved;
}

/** Directories of which nothing is left, with the one that most of their files went to; null if that is not one. */
function movedDirectories(files: ReadonlyMap<string, string>, left: ReadonlySet<string>): Map<string, string | null> {
  const counts = new Map<string, Map<string, number>>();
  for (const [from, to] of files) {
    let [old, now] = [directoryOf(from), directoryOf(to) ?? ""];
    // A directory moves with those above it, as far up as the names are the same.
    while (old !== null && !left.has(old) && old !== now) {
      const counted = counts.get(old) ?? new Map<string, number>();
      counts.set(old, counted.set(now, (counted.get(now) ?? 0) + 1));
      if (now === "" || nameOf(old) !== nameOf(now)) break;
      [old, now] = [directoryOf(old), directoryOf(now) ?? ""];
    }
  }
  return new Map(
    [...counts].map(([old, counted]) => {
      const most = Math.max(...counted.values());
      const places = [...counted].filter(([, count]) => count === most).map(([place]) => place);
      return [old, places.length === 1 ? (places[0] ?? null) : null];
    }),
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
