import assert from "node:assert/strict";
import { test } from "node:test";
import { fileLines } from "../../../ui/diff/file-lines.ts";
import { ROW_HEIGHT } from "../../../ui/diff/layout.ts";
import { makeRows } from "../../../ui/diff/rows.ts";
import { WrappedLines, wrappedHeight } from "../../../ui/diff/wrapped-lines.ts";
import { diffOf } from "../../fixtures/push-question.ts";

for (const [what, text, columns, rows] of [
  ["an empty line is one row", "", 10, 1],
  ["a line that just fits is one row", "x".repeat(10), 10, 1],
  ["one character more is another row", "x".repeat(11), 10, 2],
  ["blanks take room like anything else", `${" ".repeat(19)}x`, 10, 2],
  ["many blanks take the room of their sign", `a${" ".repeat(300_000)}b`, 10, 1],
  ["a tab goes to the next stop", "\ta\tb\tc", 12, 2],
  ["a tab at a stop is whole", "abcd\tx", 8, 2],
  ["wide characters take two cells, and are not divided", "漢".repeat(6), 5, 3],
  ["letters of other scripts take one", "я".repeat(20), 10, 2],
  ["a sign for what cannot be seen is longer than that", "\u{1b}\u{1b}", 10, 2],
] as const)
  test(`by cells: ${what}`, () => assert.equal(wrappedHeight(text, columns), rows));

test("by cells: what is said after a line takes room", () => {
  assert.equal(wrappedHeight("x".repeat(2_000), 100, 1), 21);
  assert.equal(wrappedHeight("x".repeat(10), 30, 1), 1);
  assert.equal(wrappedHeight("x".repeat(20), 30, 1), 2);
});

test("what is not shown of a line takes no room; shown, each piece of it takes its own", () => {
  const file = fileLines(diffOf([["a", null, `${"x".repeat(5_000)}\nend\n`]])[0]?.hunks ?? []);
  const heights = (shown: number): number[] => {
    const rows = makeRows(file, "unified", () => shown);
    const tops = new WrappedLines(file, 100, () => shown).topsOf(rows);
    return Array.from({ length: rows.count }, (_, row) => tops.heightOf(row) / ROW_HEIGHT);
  };
  assert.deepEqual(heights(1), [1, 21, 1]);
  assert.deepEqual(heights(3), [1, 20, 20, 10, 1]);
});

test("a row is as high as the higher of its two lines, and what was measured counts", () => {
  const before = "same\nshort\nend\n";
  const after = `same\n${"x".repeat(45)}\nend\n`;
  const file = fileLines(diffOf([["a", before, after]])[0]?.hunks ?? []);
  const wrapped = new WrappedLines(file, 10, () => 1);
  const heights = (mode: "split" | "unified"): number[] => {
    const rows = makeRows(file, mode);
    const tops = wrapped.topsOf(rows);
    return Array.from({ length: rows.count }, (_, row) => tops.heightOf(row) / ROW_HEIGHT);
  };
  assert.deepEqual(heights("unified"), [1, 1, 1, 5, 1]);
  assert.deepEqual(heights("split"), [1, 1, 5, 1]);
  assert.equal(wrapped.more, 4);
  assert.equal(wrapped.set(0, 0, 1), false);
  assert.equal(wrapped.set(0, 0, 3), true);
  assert.deepEqual(heights("unified"), [1, 3, 1, 5, 1]);
});
