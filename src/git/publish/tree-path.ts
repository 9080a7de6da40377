// Which paths a commit of ours may name.
// Invariant: no accepted path leads out of the tree or into a `.git`, on any file system.

import { isGitDirectoryName } from "../../shared/git-name.ts";

// Most paths are like that: no name of these letters, without a dot before it, is any of the others on any disk.
const plainPath = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:\/|$))+(?<!\/)$/;

/** What is wrong with it as a path of a tree; null when nothing is. */
export function treePathProblem(path: string): string | null {
  if (plainPath.test(path)) return null;
  if (path === "") return "is empty";
  if (!path.isWellFormed()) return "holds half of a character";
  if (path.includes("\0")) return "holds a NUL";
  if (path.startsWith("/")) return "is absolute";
  for (const part of path.split("/")) {
    if (part === "") return "has an empty part";
    if (part === "." || part === "..") return `has the part ${part}, which is no name`;
    // Where the backslash separates, what stands behind it is a name of its own.
    if (part.split("\\").some((piece) => isGitDirectoryName(piece) || piece === ".."))
      return "is inside the repository's own directory on some disk";
  }
  return null;
}
