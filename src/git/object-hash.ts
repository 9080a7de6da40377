// Git's hashes by node, for the parts that must also run elsewhere.

import { createHash, hash } from "node:crypto";
import type { ObjectFormat, ObjectHash, ObjectId } from "./publish/object.ts";

const ONE_PIECE_BYTES = 64 * 1024;
const HEADER_BYTES = 32;

export function objectHash(format: ObjectFormat): ObjectHash {
  // Small objects are many: one room for all of them, and no hash object for each.
  const room = Buffer.allocUnsafe(HEADER_BYTES + ONE_PIECE_BYTES);
  return {
    format,
    digest(parts) {
      const running = createHash(format);
      for (const part of parts) running.update(part);
      return running.digest();
    },
    quickId(type, content) {
      if (content.length > ONE_PIECE_BYTES) return undefined;
      const start = room.write(`${type} ${content.length}\0`, "latin1");
      room.set(content, start);
      return hash(format, room.subarray(0, start + content.length), "hex");
    },
  };
}

/** The id of a file's bytes, at once. */
export function blobId(format: ObjectFormat, content: Uint8Array): ObjectId {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}
