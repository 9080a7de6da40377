// Holds a person's work tree or a git directory open.
// Invariant: no link is followed, and no other repository inside the work tree is entered.

import { lstatSync } from "node:fs";
import { DirectoryHandle, nameIn } from "../../../process/directory-handle.ts";

/** `path` is a real path. Throws if it no longer is. */
export function openWorkTree(path: string): DirectoryHandle {
  return new DirectoryHandle(path, (descriptor) => (hasOwnGit(descriptor) ? "another repository" : null));
}

function hasOwnGit(descriptor: number): boolean {
  return lstatSync(nameIn(descriptor, ".git"), { throwIfNoEntry: false }) !== undefined;
}
