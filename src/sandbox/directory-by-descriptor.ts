// Acts in a directory that is held open, so that nobody who can change the path meanwhile leads us elsewhere.
// Invariant: what is done here happens in the directory that really has this path, or not at all.

import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync } from "node:fs";

const O_PATH = 0o10000000; // the same on every processor we know; node does not name it

/** A descriptor that names a file and can do nothing else with it. The last component is never followed. */
export function openPath(path: string | Buffer): number {
  return openSync(path, O_PATH | constants.O_NOFOLLOW);
}

/** undefined: it is not there any more, or a link leads to it now. */
export function inDirectory<T>(path: string, act: (here: string) => T): T | undefined {
  const fd = tryOpenDirectory(path);
  if (fd === undefined) return undefined;
  try {
    // SECURITY(T08, T11): a program may have put a link in the place of a directory above.
    return readlinkSync(`/proc/self/fd/${fd}`) === path ? withRights(fd, act) : undefined;
  } finally {
    closeSync(fd);
  }
}

function tryOpenDirectory(path: string): number | undefined {
  try {
    return openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
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
    if ((error as NodeJS.ErrnoException).code !== "EACCES" || found.uid !== process.geteuid?.()) throw error;
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
