// Implements the hash functions with node.

import { createHash, hash } from "node:crypto";
import type { Hashes } from "../shared/hash.ts";

export const nodeHashes: Hashes = {
  hex: (name, content) => hash(name, content, "hex"),
  start: (name) => createHash(name),
};
