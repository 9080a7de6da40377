// Git's hashes by node, for the parts that must also run elsewhere.

import { createHash, hash } from "node:crypto";
import type { ObjectFormat, ObjectHash } from "./publish/object.ts";

const ONE_PIECE_BYTES = 64 * 1024;

export function objectHash(format: ObjectFormat): ObjectHash {
  return {
    format,
    digest(parts) {
      const size = parts.reduce((sum, part) => sum + part.length, 0);
      // Small objects are many: without a hash object for each.
      if (size <= ONE_PIECE_BYTES) return hash(format, Buffer.concat(parts), "buffer");
      const running = createHash(format);
      for (const part of parts) running.update(part);
      return running.digest();
    },
  };
}
