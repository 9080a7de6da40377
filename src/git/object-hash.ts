// Computes git's object ids with the hash functions that the caller passes.

import { concatBytes, toHex } from "../shared/bytes.ts";
import { type Hashes, hexOfEach } from "../shared/hash.ts";
import { type ObjectFormat, type ObjectHash, type ObjectId, objectHeader, type ObjectType } from "./publish/object.ts";

const ONE_PIECE_BYTES = 64 * 1024;
const HEADER_BYTES = 32;

export function objectHash(format: ObjectFormat, hashes: Hashes): ObjectHash {
  // There are many small objects. They share one buffer, and none needs a hash object of its own.
  const buffer = new Uint8Array(HEADER_BYTES + ONE_PIECE_BYTES);
  return {
    format,
    digest(parts) {
      const running = hashes.start(format);
      for (const part of parts) running.update(part);
      return running.digest();
    },
    quickId(type, content) {
      if (content.length > ONE_PIECE_BYTES) return undefined;
      const header = objectHeader(type, content.length);
      buffer.set(header);
      buffer.set(content, header.length);
      return hashes.hex(format, buffer.subarray(0, header.length + content.length));
    },
    idOfEach: (type, contents) =>
      hexOfEach(
        hashes,
        format,
        contents.map((content) => concatBytes([objectHeader(type, content.length), content])),
      ),
  };
}

/** Computes the id of a file's bytes synchronously. */
export function blobId(format: ObjectFormat, content: Uint8Array, hashes: Hashes): ObjectId {
  return idOfObject(format, "blob", content, hashes);
}

/** Computes the id of any object synchronously. */
export function idOfObject(format: ObjectFormat, type: ObjectType, content: Uint8Array, hashes: Hashes): ObjectId {
  const running = hashes.start(format);
  running.update(objectHeader(type, content.length));
  running.update(content);
  return toHex(running.digest());
}
