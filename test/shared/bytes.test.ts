// Bytes without Buffer say what Buffer says.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { compareUtf8, latin1Text, parseBase64, toBase64, toHex, utf8Length } from "../../src/shared/bytes.ts";

const text = fc.string({ unit: "binary" });
const sign = (number: number): number => Math.sign(number);

test("a text has the length and the order of its UTF-8 bytes", () => {
  fc.assert(fc.property(text, (a) => assert.equal(utf8Length(a), Buffer.byteLength(a))));
  assert.equal(utf8Length("\ud800"), Buffer.byteLength("\ud800"));
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(sign(compareUtf8(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.equal(sign(compareUtf8(a, a + b)), b === "" ? 0 : -1);
    }),
  );
});

test("bytes are spelled in base64, hexadecimal and Latin-1 as Buffer spells them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      const buffer = Buffer.from(bytes);
      assert.equal(toBase64(bytes), buffer.toString("base64"));
      assert.equal(toHex(bytes), buffer.toString("hex"));
      assert.equal(latin1Text(bytes), buffer.toString("latin1"));
      assert.deepEqual(parseBase64(toBase64(bytes)), bytes);
    }),
  );
  const long = new Uint8Array(200_000).map((_, index) => index * 31);
  assert.equal(toBase64(long), Buffer.from(long).toString("base64"));
});

test("base64 is read with line ends and without padding, and what is none is refused", () => {
  assert.deepEqual(parseBase64("aGVs\nbG8="), new TextEncoder().encode("hello"));
  assert.deepEqual(parseBase64("aGVsbG8"), new TextEncoder().encode("hello"));
  for (const wrong of ["a", "aGV$", "a=GV", "aGVsbG8=="]) assert.equal(parseBase64(wrong), null, wrong);
});
