// Writes a pack that `git index-pack` and a server accept: version 2, whole objects, no deltas. It yields chunks as they are ready.

import type { RunningHash } from "../../shared/hash.ts";
import type { ObjectType } from "./object.ts";

export interface PackObject {
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

export interface PackContext {
  /** Starts a hash of the repository's object format. */
  readonly startHash: () => RunningHash;
  /** Compresses into the zlib format (RFC 1950). */
  readonly deflate: (content: Uint8Array) => Uint8Array | Promise<Uint8Array>;
}

const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };
const CHUNK_BYTES = 64 * 1024;
const ENTRY_HEADER_BYTES = 10;
// Up to this size, starting a compressor costs more than it saves. Git's next repack compresses these objects anyway.
const STORED_BYTES = 1_024;
const STORED_OVERHEAD_BYTES = 11;

/** `count` is the number of objects; each may occur only once. Throws if there are more or fewer. */
export async function* writePack(
  objects: Iterable<PackObject> | AsyncIterable<PackObject>,
  count: number,
  context: PackContext,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const hash = context.startHash();
  let chunk = new Uint8Array(CHUNK_BYTES);
  let used = writeHeader(count, chunk);
  let seen = 0;
  for await (const { type, content } of objects) {
    seen += 1;
    const isStored = content.length <= STORED_BYTES;
    const body = isStored ? content : await context.deflate(content);
    if (used + ENTRY_HEADER_BYTES + STORED_OVERHEAD_BYTES + body.length > chunk.length) {
      const full = chunk.subarray(0, used);
      hash.update(full);
      yield full;
      chunk = new Uint8Array(Math.max(CHUNK_BYTES, ENTRY_HEADER_BYTES + STORED_OVERHEAD_BYTES + body.length));
      used = 0;
    }
    used = writeEntryHeader(type, content.length, chunk, used);
    if (isStored) {
      used = writeStored(content, chunk, used);
    } else {
      chunk.set(body, used);
      used += body.length;
    }
  }
  if (seen !== count) throw new RangeError(`a pack of ${count} objects was given ${seen}`);
  const last = chunk.subarray(0, used);
  hash.update(last);
  yield last;
  yield new Uint8Array(hash.digest());
}

function writeHeader(count: number, into: Uint8Array<ArrayBuffer>): number {
  into.set([0x50, 0x41, 0x43, 0x4b]); // PACK
  const numbers = new DataView(into.buffer);
  numbers.setUint32(4, 2);
  numbers.setUint32(8, count);
  return 12;
}

// The first byte has three bits of type and four of size. Each further byte has seven bits of size, the lowest bits first.
function writeEntryHeader(type: ObjectType, size: number, into: Uint8Array, from: number): number {
  let at = from;
  let byte = (typeNumbers[type] << 4) | (size % 16);
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    into[at] = byte | 0x80;
    at += 1;
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  into[at] = byte;
  return at + 1;
}

// Writes one stored (uncompressed) block of RFC 1951 inside RFC 1950.
function writeStored(content: Uint8Array, into: Uint8Array, at: number): number {
  const size = content.length;
  into.set([0x78, 0x01, 0x01, size & 0xff, size >> 8, ~size & 0xff, (~size >> 8) & 0xff], at);
  into.set(content, at + 7);
  let one = 1;
  let two = 0;
  for (const byte of content) {
    one += byte;
    two += one;
  }
  one %= 65_521;
  two %= 65_521;
  into.set([two >> 8, two & 0xff, one >> 8, one & 0xff], at + 7 + size);
  return at + STORED_OVERHEAD_BYTES + size;
}
