// Makes a directory with those above it, wherever a person or the environment says it shall be.
// Invariant: it ends. node's own recursive mkdir asks again for ever where a parent is there and still says ENOENT, as
// /proc does.

import { mkdirSync, statSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";
import { parentPath } from "../shared/path.ts";

/** Nothing happens where it is there. All that are made get the mode. */
export function makeDirectories(path: string, mode: number): void {
  if (isMade(path, mode)) return;
  makeDirectories(parentPath(path), mode);
  mkdirOrKeep(path, mode);
}

/** False: the one above is missing. */
function isMade(path: string, mode: number): boolean {
  try {
    mkdirOrKeep(path, mode);
    return true;
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || path === "/") throw error;
    return false;
  }
}

function mkdirOrKeep(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
