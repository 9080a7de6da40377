// The only way to open a file that an agent could have made, or that came with a repository.
// Invariant: no link is followed, not even above the file. Only a regular file is opened, because merely opening a device can have
// an effect. Nothing is waited for, and no more bytes are read than the limit allows.

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

export const O_PATH = 0o10000000; // the same on all common processors; node has no name for it
const DELETED = Buffer.from(" (deleted)");
const TRIES = 5;
/** A name in a directory that is held open. The descriptor identifies the directory, whatever its path leads to now. */
const IN_HELD_DIRECTORY = /^\/proc\/self\/fd\/\d+\/[^/]+$/;

/** A descriptor that only names a file, and can neither read nor write it. A link as the last component is not followed. */
export function openPath(path: string | Buffer): number {
  return openSync(path, O_PATH | constants.O_NOFOLLOW);
}

/**
 * `path` is a real path, or a name in a directory that is held open. Null if a link leads to it, or it is not a regular file.
 * Throws errors of the disk (ENOENT, EACCES, …).
 */
export function withPlainFile<T>(path: string | Buffer, act: (descriptor: number, found: BigIntStats) => T): T | null {
  const named = openNamed(path);
  if (named === null) return null;
  try {
    if (!fstatSync(named).isFile()) return null;
    // SECURITY(T37): opens exactly the file that was checked, whatever has its name by now.
    const descriptor = openSync(`/proc/self/fd/${named}`, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return act(descriptor, fstatSync(descriptor, { bigint: true }));
    } finally {
      closeSync(descriptor);
    }
  } finally {
    closeSync(named);
  }
}

/** The whole file. Null if no such file may be opened, it cannot be read, or it is larger than `mostBytes`. */
export function readPlainFile(path: string | Buffer, mostBytes: number): Buffer | null {
  try {
    return withPlainFile(path, (descriptor, { size }) => readAtMost(descriptor, Number(size), mostBytes));
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return null;
  }
}

/** Null if there are more bytes. `expected` is the size a moment ago. */
export function readAtMost(descriptor: number, expected: number, mostBytes: number): Buffer | null {
  if (expected > mostBytes) return null;
  let bytes = Buffer.allocUnsafe(Math.min(expected + 1, mostBytes + 1));
  let filled = 0;
  for (;;) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, filled);
    filled += count;
    if (filled > mostBytes) return null;
    if (count === 0) return bytes.subarray(0, filled);
    // The file grows while it is read.
    if (filled === bytes.length) {
      const longer = Buffer.allocUnsafe(Math.min(2 * bytes.length + 4096, mostBytes + 1));
      bytes.copy(longer);
      bytes = longer;
    }
  }
}

/** A descriptor that only names the file at this path. Null if the path leads through a link. */
function openNamed(path: string | Buffer): number | null {
  const wanted = Buffer.from(path);
  const isHeld = IN_HELD_DIRECTORY.test(wanted.toString("latin1"));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const named = openPath(path);
    if (isHeld) return named;
    // SECURITY(T37): the kernel tells the real path of the descriptor. If a link above had been followed, it would differ.
    const found = readlinkSync(`/proc/self/fd/${named}`, "buffer");
    if (found.equals(wanted)) return named;
    // Git replaces its files as a whole, so the opened file may just have been replaced: without a name left, it is the one that was here.
    const isReplaced = found.equals(Buffer.concat([wanted, DELETED]));
    if (isReplaced && fstatSync(named).nlink === 0) return named;
    closeSync(named);
    // A hard link to it elsewhere, or a file whose name really ends like this: only another try can tell.
    if (!isReplaced) return null;
  }
  return null;
}
