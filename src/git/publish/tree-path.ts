// Checks the paths that a commit made by the gate may contain, and shows them in messages.
// Invariant: no accepted path leads out of the tree or into a `.git`, on any file system.

import { isGitDirectoryName } from "../../shared/git-name.ts";

// A quick check that most paths pass. No name of these characters without a leading dot means a refused name on any disk.
const plainPath = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:\/|$))+(?<!\/)$/;

/** What is wrong with the path; null if it may be in a tree. */
export function treePathProblem(path: string): string | null {
  if (plainPath.test(path)) return null;
  if (path === "") return "is empty";
  if (!path.isWellFormed()) return "holds half of a character";
  if (path.includes("\0")) return "holds a NUL";
  if (path.startsWith("/")) return "is absolute";
  for (const part of path.split("/")) {
    if (part === "") return "has an empty part";
    if (part === "." || part === "..") return `has the part ${part}, which is no name`;
    // On systems where a backslash separates names, the part after it is a name of its own.
    if (part.split("\\").some((piece) => isGitDirectoryName(piece) || piece === ".."))
      return "is inside the repository's own directory on some disk";
  }
  return null;
}

/** A path as a message shows it. */
export function shownPath(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 199)}…` : path);
}
