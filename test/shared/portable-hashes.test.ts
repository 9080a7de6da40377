// The hashes for where there is no node answer what node's answer.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import { toHex } from "../../src/shared/bytes.ts";
import { portableHashes } from "../../src/shared/portable-hashes.ts";

for (const name of ["sha1", "sha256"] as const) {
  test(`${name}: every length around the block's, and long ones`, () => {
    const bytes = new Uint8Array(300_000).map((_, index) => (index * index) >>> 3);
    const lengths = [...Array.from({ length: 200 }, (_, length) => length), 4_095, 65_536, bytes.length];
    for (const length of lengths) {
      const content = bytes.subarray(0, length);
      assert.equal(portableHashes.hex(name, content), nodeHashes.hex(name, content), `${length} bytes`);
    }
  });

  test(`${name}: a text is its UTF-8, and pieces are the whole`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) =>
        assert.equal(portableHashes.hex(name, text), nodeHashes.hex(name, text)),
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 8 }), (pieces) => {
        const [own, known] = [portableHashes.start(name), nodeHashes.start(name)];
        for (const piece of pieces) {
          own.update(piece);
          known.update(piece);
        }
        assert.equal(toHex(own.digest()), toHex(known.digest()));
      }),
    );
  });
}
