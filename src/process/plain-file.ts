// The one way to open a file that an agent could have made, or that came with somebody's repository.
// Invariant: no link is followed, also none above the file; nothing but a regular file is opened, not even for a moment,
// because to open a device can do something by itself; nothing is waited for; no more is read than the bound says.

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

export const O_PATH = 0o10000000; // the same on every processor we know; node does not name it
const DELETED = Buffer.from(" (deleted)");
const TRIES = 5;
/** A name in a directory that is held open: the directory is the one it is, whatever leads to it now. */
const IN_HELD_DIRECTORY = /^\/proc\/self\/fd\/\d+\/[^/]+$/;

/** A descriptor that names a file and can do nothing else with it. The last component is never followed. */
export function openPath(path: string | Buffer): number {
  return openSync(path, O_PATH | constants.O_NOFOLLOW);
}

/**
 * `path`: a real path, or a name in a directory that is held open. null: a link leads to it, or it is no regular file.
 * What the disk says (ENOENT, EACCES, …) is thrown.
 */
export function withPlainFile<T>(path: string | Buffer, act: (descriptor: number, found: BigIntStats) => T): T | null {
  const named = openNamed(path);
  if (named === null) return null;
  try {
    if (!fstatSync(named).isFile()) return null;
    // SECURITY(T37): the very file that was looked at, whatever has its name by now.
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

/** The whole file. null: there is none that may be opened, it cannot be read, or it is larger than `mostBytes`. */
export function readPlainFile(path: string | Buffer, mostBytes: number): Buffer | null {
  try {
    return withPlainFile(path, (descriptor, { size }) => readAtMost(descriptor, Number(size), mostBytes));
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return null;
  }
}

/** null: there is more. `expected`: what it held a moment ago. */
export function readAtMost(descriptor: number, expected: number, mostBytes: number): Buffer | null {
  if (expected > mostBytes) return null;
  let bytes = Buffer.allocUnsafe(Math.min(expected + 1, mostBytes + 1));
  let filled = 0;
  for (;;) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, filled);
    filled += count;
    if (filled > mostBytes) return null;
    if (count === 0) return bytes.subarray(0, filled);
    // It grows while it is read.
    if (filled === bytes.length) {
      const longer = Buffer.allocUnsafe(Math.min(2 * bytes.length + 4096, mostBytes + 1));
      bytes.copy(longer);
      bytes = longer;
    }
  }
}

/** A descriptor that names the file at this path and can do nothing else with it. null: a link is on the way. */
function openNamed(path: string | Buffer): number | null {
  const wanted = Buffer.from(path);
  const isHeld = IN_HELD_DIRECTORY.test(wanted.toString("latin1"));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const named = openPath(path);
    if (isHeld) return named;
    // SECURITY(T37): the kernel's own word for where this is: a link above it would have led elsewhere.
    const found = readlinkSync(`/proc/self/fd/${named}`, "buffer");
    if (found.equals(wanted)) return named;
    closeSync(named);
    // Git replaces its files whole: the one that was opened may just have been.
    if (!found.equals(Buffer.concat([wanted, DELETED]))) return null;
  }
  return null;
}
