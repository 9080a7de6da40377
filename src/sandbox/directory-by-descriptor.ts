// Acts in a directory that is held open, so that nobody who can change the path meanwhile leads us elsewhere.
// Invariant: what is done here happens in the directory that really has this path, or not at all.

import { chmodSync, closeSync, fstatSync, lstatSync } from "node:fs";
import { openRealDirectory } from "../process/directory-handle.ts";
import { O_PATH } from "../process/plain-file.ts";
import { errorCode } from "../shared/error-code.ts";

/** undefined: it is not there any more, or a link leads to it now. */
export function inDirectory<T>(path: string, act: (here: string) => T): T | undefined {
  const fd = tryOpenDirectory(path);
  if (fd === undefined) return undefined;
  try {
    return withRights(fd, act);
  } finally {
    closeSync(fd);
  }
}

function tryOpenDirectory(path: string): number | undefined {
  try {
    // SECURITY(T08, T11): a program may have put a link in the place of a directory above.
    return openRealDirectory(path, O_PATH);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes(errorCode(error))) return undefined;
    throw error;
  }
}

/** A program can take our right to write away from a directory of ours, so that nothing can be moved out of it. */
function withRights<T>(fd: number, act: (here: string) => T): T {
  const here = `/proc/self/fd/${fd}`;
  try {
    return act(here);
  } catch (error) {
    const found = fstatSync(fd);
    if (errorCode(error) !== "EACCES" || found.uid !== process.geteuid?.()) throw error;
    chmodSync(here, 0o700);
    try {
      return act(here);
    } finally {
      chmodSync(here, found.mode & 0o7777);
    }
  }
}

/** Which file it is, whatever it is called. undefined: there is none. */
export function identityOf(path: string | Buffer): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
