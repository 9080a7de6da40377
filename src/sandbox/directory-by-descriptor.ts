// Acts in a directory through an open descriptor, so that a program that changes the path meanwhile cannot redirect the gate.
// Invariant: the action happens in the directory that really has this path, or not at all.

import { chmodSync, closeSync, fstatSync, lstatSync } from "node:fs";
import { openRealDirectory } from "../process/directory-handle.ts";
import { O_PATH } from "../process/plain-file.ts";
import { errorCode } from "../shared/error-code.ts";

/** Returns undefined if the directory no longer exists or its path now goes through a link. */
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
    // SECURITY(T08, T11): a program may have replaced a parent directory by a link.
    return openRealDirectory(path, O_PATH);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes(errorCode(error))) return undefined;
    throw error;
  }
}

/**
 * A program can remove the write permission from a directory that the gate's user owns, so that nothing can be moved out of it. This
 * restores the permission for the duration of `act`.
 */
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

/** Device and inode number, which stay the same if the file is renamed. Undefined if the file does not exist. */
export function identityOf(path: string | Buffer): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
