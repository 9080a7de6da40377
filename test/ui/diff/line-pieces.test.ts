import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { fileLines, lineOfPiece, pieceCount, pieceSpan } from "../../../ui/diff/file-lines.ts";
import { Covered } from "../../../ui/diff/covered.ts";
import { cutsOf, PIECE_CHARACTERS } from "../../../ui/diff/line-pieces.ts";
import { shownLine } from "../../../ui/diff/line-spans.ts";
import { makeRows, rowOfLine } from "../../../ui/diff/rows.ts";
import { diffOf } from "../../fixtures/push-question.ts";

const most = PIECE_CHARACTERS;

for (const [what, text, cuts] of [
  ["nothing is cut of what is short", "x".repeat(most), []],
  ["a longer line is cut where a piece is full", "x".repeat(2 * most + 1), [most, 2 * most]],
  ["a pair is not divided", `${"x".repeat(most - 1)}😀${"y".repeat(9)}`, [most - 1]],
  ["nor a letter and its mark", `${"x".repeat(most - 1)}e\u{301}z`, [most - 1]],
  ["nor a family", `${"x".repeat(most - 3)}👩‍👩‍👧${"y".repeat(9)}`, [most - 3]],
  ["nor blanks, which are one sign", `x${" ".repeat(300_000)}evil()`, [300_001]],
] as const)
  test(`pieces: ${what}`, () => assert.deepEqual(cutsOf(text), cuts));

test("pieces together are the line, each of them short but for blanks", () => {
  const part = fc.constantFrom(
    "x",
    " ",
    "\t",
    "漢",
    "😀",
    "e\u{301}",
    "👩‍👩‍👧",
    "\u{202e}",
    "\u{301}".repeat(70),
    " ".repeat(50),
  );
  const line = fc.array(fc.tuple(part, fc.integer({ min: 1, max: 700 })), { maxLength: 8 });
  fc.assert(
    fc.property(line, (parts) => {
      const text = parts.map(([one, count]) => one.repeat(count)).join("");
      const file = fileLines(diffOf([["a", null, `first\n${text}\nlast\n`]])[0]?.hunks ?? []);
      const spans = Array.from({ length: pieceCount(file, 1) }, (_, piece) => pieceSpan(file, 1, piece));
      assert.equal(spans.map(([from, to]) => text.slice(from, to)).join(""), text);
      for (const [from, to] of spans) {
        assert.ok(text.slice(from, to).trimEnd().length <= most && (to > from || text === ""));
        assert.doesNotMatch(shownLine(text.slice(from, to)), /\p{Cs}/u, "half of a pair");
      }
      assert.deepEqual([lineOfPiece(file, 0), lineOfPiece(file, 1), lineOfPiece(file, spans.length + 1)], [0, 1, 2]);
    }),
  );
});

test("rows: a line shown whole has one for each piece, beside those of the other side", () => {
  const [long, longer] = ["x".repeat(most + 1), "y".repeat(2 * most + 1)];
  const file = fileLines(diffOf([["a", `same\n${long}\nend\n`, `same\n${longer}\nend\n`]])[0]?.hunks ?? []);
  assert.deepEqual([...makeRows(file, "split").left], [-2, 0, 1, 3]);
  const rows = makeRows(file, "split", (line) => (line === 0 ? 1 : 3));
  assert.deepEqual([...rows.left], [-2, 0, 1, 1, -1, 3]);
  assert.deepEqual([...rows.right], [-2, 0, 2, 2, 2, 3]);
  assert.deepEqual([...rows.piece], [0, 0, 0, 1, 2, 0]);
  assert.deepEqual([rowOfLine(rows, 1), rowOfLine(rows, 2), rowOfLine(rows, 2, 2), rowOfLine(rows, 3)], [2, 2, 4, 5]);
});

test("what was covered, in any order, is known up to the first gap", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(40), fc.nat(12))), (parts) => {
      const covered = new Covered();
      const cells = new Set<number>();
      for (const [from, length] of parts) {
        covered.add(from, from + length);
        for (let at = from; at < from + length; at += 1) cells.add(at);
      }
      for (let from = 0; from < 50; from += 1) {
        let end = from;
        while (cells.has(end)) end += 1;
        assert.equal(covered.upTo(from), end);
      }
    }),
  );
});
