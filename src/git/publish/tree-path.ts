// Which paths a commit of ours may name, and when two names are one file on somebody's disk.
// Invariant: no accepted path leads out of the tree or into a `.git`, on any file system.

import { isGitDirectoryName } from "../../shared/git-name.ts";

const ignored = /\p{Default_Ignorable_Code_Point}/gv;
// Most paths are like that: no name of these letters, without a dot before it, is any of the others on any disk.
const plainPath = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:\/|$))+(?<!\/)$/;
const plain = /^[\x20-\x7e]*$/;

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

/** Names with the same key are one file where case, normal forms or invisible characters do not count. */
export function diskKey(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  const visible = name.normalize("NFD").replace(ignored, "");
  return visible.toUpperCase().toLowerCase().normalize("NFC");
}
