// Makes a directory and those above it, at any path that a person or the environment names.
// Invariant: it terminates. node's own recursive mkdir retries forever if a parent exists and still reports ENOENT, as
// /proc does.

import { mkdirSync, statSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";
import { parentPath } from "../shared/path.ts";

/** Does nothing if the directory exists. All new directories get the mode. */
export function makeDirectories(path: string, mode: number): void {
  if (isMade(path, mode)) return;
  makeDirectories(parentPath(path), mode);
  mkdirOrKeep(path, mode);
}

/** False if the parent is missing. */
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
