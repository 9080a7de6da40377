// OutputCapture against a reference that keeps everything.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { OutputCapture } from "../../src/process/output.ts";
import { runs } from "../fixtures/runs.ts";

const characters = fc.constantFrom("a", "\n", "é", "ß", "あ", "€", "👩", "\u200d", "🚀", "\u0000", "\u007f", "\ufffd");
const text = fc.array(characters, { maxLength: 3000 }).map((all) => all.join(""));
const cap = fc.oneof(fc.constantFrom(1024, 1025, 1027, 2048), fc.integer({ min: 1024, max: 5000 }));
const cuts = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 30 });

/** Pushes the bytes in pieces of these lengths, again and again, through one buffer that is overwritten each time. */
function capture(bytes: Buffer, limit: number, lengths: readonly number[]) {
  const output = new OutputCapture(limit);
  const shared = Buffer.alloc(Math.max(...lengths));
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = Math.min(lengths[turn % lengths.length] as number, bytes.length - at);
    bytes.copy(shared, 0, at, at + length);
    output.push(shared.subarray(0, length));
    shared.fill(0x58, 0, length);
    at += length;
  }
  return output.result();
}

const NOTICE = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/;

test("what fits is kept as it is; what does not is cut in the middle, by a count that is exact", () => {
  fc.assert(
    fc.property(text, cap, cuts, fc.integer({ min: 1, max: 3 }), (content, limit, lengths, times) => {
      const whole = content.repeat(times);
      const bytes = Buffer.from(whole);
      const result = capture(bytes, limit, lengths);
      assert.equal(result.bytes, bytes.length);
      assert.equal(result.truncated, bytes.length > limit, "the flag is true exactly when bytes were dropped");
      if (!result.truncated) return assert.equal(result.text, whole);

      assert.ok(Buffer.byteLength(result.text) <= limit, "the notice counts against the cap");
      assert.ok(Buffer.byteLength(result.text) > limit - 16, "and nothing is given away");
      const match = NOTICE.exec(result.text);
      assert.ok(match !== null);
      const head = result.text.slice(0, match.index);
      const tail = result.text.slice(match.index + match[0].length);
      assert.ok(whole.startsWith(head), "the first part is the first part");
      assert.ok(whole.endsWith(tail), "the last part is the last part");
      assert.equal(Number(match[1]), bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail));
      assert.equal(count(head) + count(tail) <= count(whole), true, "no character was broken");
      assert.ok(Math.abs(Buffer.byteLength(head) - Buffer.byteLength(tail)) < 32, "both ends get their half");
    }),
    { numRuns: runs(400) },
  );
});

function count(content: string): number {
  return content.split("\ufffd").length - 1;
}

test("how the pieces come makes no difference", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6000 }), cap, cuts, cuts, (bytes, limit, one, other) => {
      assert.deepEqual(capture(Buffer.from(bytes), limit, one), capture(Buffer.from(bytes), limit, other));
    }),
    { numRuns: runs(200) },
  );
});

test("bytes that are no text become replacement characters, and the cap holds for what was kept", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1100, maxLength: 6000 }), cuts, (bytes, lengths) => {
      const result = capture(Buffer.from(bytes), 1024, lengths);
      const left = Number(NOTICE.exec(result.text)?.[1]);
      assert.equal(result.truncated, true);
      assert.ok(bytes.length - left + Buffer.byteLength(`\n[... ${left} bytes left out ...]\n`) <= 1024);
    }),
    { numRuns: runs(200) },
  );
});

test("memory stays flat however much is printed", () => {
  const output = new OutputCapture(4096);
  const piece = Buffer.alloc(65_536, "x");
  output.push(piece);
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 3000; round += 1) output.push(piece);
  assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
  assert.equal(output.result().bytes, 65_536 * 3001);
});
