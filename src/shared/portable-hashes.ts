// SHA-1 and SHA-256 for where there is no node: git's ids, content names, digests.

import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "./bytes.ts";
import type { Hashes } from "./hash.ts";

const algorithms = { sha1, sha256 };

export const portableHashes: Hashes = {
  hex(name, content) {
    return toHex(algorithms[name](typeof content === "string" ? new TextEncoder().encode(content) : content));
  },
  start: (name) => algorithms[name].create(),
};
