// The hash of a file's content. A file whose identity, size and times are the same is not read again: the kernel sets
// the time of the last change, and no program without privilege can turn it back.

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const known = new Map<string, string>();
const MOST_KNOWN = 1_000;
const CHUNK = 1024 * 1024;

/** null: there is no regular file that could be read. */
export function hashFile(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const found = fstatSync(descriptor, { bigint: true });
    if (!found.isFile()) return null;
    const identity = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
    const before = known.get(identity);
    if (before !== undefined) return before;
    const hash = hashDescriptor(descriptor);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(identity, hash);
    return hash;
  } finally {
    closeSync(descriptor);
  }
}

function hashDescriptor(descriptor: number): string {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer))
    hash.update(buffer.subarray(0, read));
  return hash.digest("hex");
}
