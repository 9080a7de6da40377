// Hashes and compares the content of files. A file with the same identity, size and times is not read again: the kernel sets
// the time of the last change, and no unprivileged program can set it back.

import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { limits } from "../shared/limits.ts";
import { withPlainFile } from "./plain-file.ts";

const known = new Map<string, string>();
const MOST_KNOWN = 1_000;
const CHUNK = 1024 * 1024;

/**
 * `path` is a real path. Null if there is no regular file that can be read. For a file above the size limit, the result is the hash
 * of its identity, size and times, because every change of the file changes these.
 */
export function hashFile(path: string): string | null {
  try {
    return withPlainFile(path, (descriptor, found) => {
      const identity = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
      const before = known.get(identity);
      if (before !== undefined) return before;
      const hash =
        hashDescriptor(descriptor, found.size) ?? createHash("sha256").update(`large ${identity}`).digest("hex");
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(identity, hash);
      return hash;
    });
  } catch {
    return null;
  }
}

/** Whether both files have the same bytes from here on. They are compared up to the first difference. */
export function haveSameContent(one: number, other: number): boolean {
  const [bytes, others] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
  for (;;) {
    const [count, otherCount] = [readChunk(one, bytes), readChunk(other, others)];
    if (!bytes.subarray(0, count).equals(others.subarray(0, otherCount))) return false;
    if (count < CHUNK) return true;
  }
}

/** A read can end before the chunk is full. */
function readChunk(descriptor: number, bytes: Buffer): number {
  for (let filled = 0; ;) {
    const count = filled < CHUNK ? readSync(descriptor, bytes, filled, CHUNK - filled, null) : 0;
    if (count === 0) return filled;
    filled += count;
  }
}

/** Null if the file is too large, or grows too large while it is read. */
function hashDescriptor(descriptor: number, expected: bigint): string | null {
  if (expected > limits.hashedFileBytes) return null;
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK);
  let size = 0;
  for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
    hash.update(buffer.subarray(0, read));
    if ((size += read) > limits.hashedFileBytes) return null;
  }
  return hash.digest("hex");
}
