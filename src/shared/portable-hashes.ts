// SHA-1 and SHA-256 for where there is no node: git's ids, content names, digests.

import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "./bytes.ts";
import type { Hashes } from "./hash.ts";

const algorithms = { sha1, sha256 };
const namesInBrowser = { sha1: "SHA-1", sha256: "SHA-256" };

/** Absent in a page that came without TLS. Its hashes are several times as fast as those in JavaScript. */
const subtle = typeof crypto === "undefined" ? undefined : (crypto.subtle as typeof crypto.subtle | undefined);

export const portableHashes: Hashes = {
  hex(name, content) {
    return toHex(algorithms[name](typeof content === "string" ? new TextEncoder().encode(content) : content));
  },
  start: (name) => algorithms[name].create(),
  ...(subtle === undefined
    ? {}
    : {
        hexOfEach: (name, contents) =>
          Promise.all(
            contents.map(async (content) =>
              toHex(new Uint8Array(await subtle.digest(namesInBrowser[name], content as Uint8Array<ArrayBuffer>))),
            ),
          ),
      }),
};
