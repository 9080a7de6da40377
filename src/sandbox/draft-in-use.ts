// What in a draft stands in the way of moving it to a new start: programs that run, a git command that is not finished, and files of the
// session that git ignores.

import { lstatSync, readdirSync, readFileSync, statSync, type Stats } from "node:fs";
import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { errorCode } from "../shared/error-code.ts";

/** Each box holds a lock on this file until it has ended: native/keeper-draft.h. */
export function hasRunningBoxes(draft: string): boolean {
  const boxes = statSync(`${draft}/boxes`, { throwIfNoEntry: false });
  if (boxes === undefined) return false; // it was never mounted
  return readFileSync("/proc/locks", "latin1")
    .split("\n")
    .some((line) => / FLOCK +ADVISORY +READ /.test(line) && line.includes(`:${boxes.ino} `));
}

const unfinished: Readonly<Record<string, string>> = {
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  BISECT_START: "a bisect",
  "index.lock": "another git command",
};

/** What the session's git has begun and not ended. Null if it has not. */
export function unfinishedGit(draft: string): string | null {
  const name = Object.keys(unfinished).find((one) => statAt(`${draft}/git/${one}`) !== undefined);
  return name === undefined ? null : (unfinished[name] ?? null);
}

/** Files that the session made and git does not track, in the way of these new files. `tracked`: paths that make room. */
export function filesInTheWay(draft: string, added: readonly string[], tracked: ReadonlySet<string>): string[] {
  const upper = new DirectoryHandle(`${draft}/upper`, undefined, openDirectory);
  try {
    const found = added.flatMap((path) => {
      const parts = path.split("/");
      const above = parts.map((_, depth) => parts.slice(0, depth + 1).join("/"));
      const taken = above.find((one) => isOwnFile(upper.atPath(one, statAt)) && !tracked.has(one));
      return taken === undefined ? filesBelow(upper, path, tracked) : [taken];
    });
    return [...new Set(found)];
  } finally {
    upper.close();
  }
}

/** A character device marks what is deleted. */
function isOwnFile(found: Stats | undefined): boolean {
  return found !== undefined && !found.isDirectory() && !found.isCharacterDevice();
}

function filesBelow(upper: DirectoryHandle, path: string, tracked: ReadonlySet<string>): string[] {
  const entries = upper.inDirectory(path, (directory) =>
    readdirSync(`/proc/self/fd/${directory}`, { withFileTypes: true }),
  );
  return (entries ?? []).flatMap((entry) => {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(upper, below, tracked);
    return entry.isCharacterDevice() || tracked.has(below) ? [] : [below];
  });
}

function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return undefined;
  }
}
