import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { fileLines, hunkOfLine } from "../../../ui/diff/file-lines.ts";
import { hunkOfRow, isHunkRow, lineOfRow, linesBetween, makeRows, NO_LINE, rowOfLine } from "../../../ui/diff/rows.ts";
import { diffOf } from "../../fixtures/push-question.ts";

const text = fc.array(fc.constantFrom("a", "b", "c", "d", "}", ""), { maxLength: 40 }).map((lines) => lines.join("\n"));
const hunksOf = (before: string, after: string) => diffOf([["f", before, after]])[0]?.hunks ?? [];

test("unified rows are the hunks' lines in their order, each hunk after its header", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = hunksOf(before, after);
      const file = fileLines(hunks);
      const rows = makeRows(file, "unified");
      const shown = [...rows.left].map((value) =>
        isHunkRow(value) ? file.hunks[hunkOfRow(value)] : file.lines[value],
      );
      assert.deepEqual(
        shown,
        hunks.flatMap((hunk) => [hunk, ...hunk.lines]),
      );
    }),
  );
});

test("side by side, each side read alone is its file, and every line stands once", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = hunksOf(before, after);
      const file = fileLines(hunks);
      const rows = makeRows(file, "split");
      const side = (values: Int32Array) => [...values].filter((value) => value >= 0).map((at) => file.lines[at]);
      const all = hunks.flatMap(({ lines }) => lines);
      assert.deepEqual(
        side(rows.left),
        all.filter(({ sign }) => sign !== "+"),
      );
      assert.deepEqual(
        side(rows.right),
        all.filter(({ sign }) => sign !== "-"),
      );
      for (let row = 0; row < rows.count; row += 1)
        assert.ok(rows.left[row] !== NO_LINE || rows.right[row] !== NO_LINE, `row ${row} shows nothing`);
    }),
  );
});

test("a line is found in its row, and its numbers are those of the files", () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom("split", "unified"), (before, after, mode) => {
      const file = fileLines(hunksOf(before, after));
      const rows = makeRows(file, mode);
      const [old, now] = [before.split("\n"), after.split("\n")];
      for (const [at, { sign, text: line }] of file.lines.entries()) {
        const row = rowOfLine(rows, at);
        assert.ok(rows.left[row] === at || rows.right[row] === at);
        if (sign !== "+") assert.equal(old[(file.oldNumber[at] as number) - 1], line);
        if (sign !== "-") assert.equal(now[(file.newNumber[at] as number) - 1], line);
        const hunk = hunkOfLine(file, at);
        assert.ok(at >= (file.hunkFrom[hunk] as number) && at < (file.hunkFrom[hunk + 1] as number));
      }
      assert.deepEqual(linesBetween(rows, 0, rows.count), [0, file.lines.length]);
    }),
  );
});

test("the line at a row is the first from there on", () => {
  const file = fileLines(hunksOf("a\nb\nc\n", "a\nx\nc\n"));
  const rows = makeRows(file, "split");
  assert.deepEqual(lineOfRow(rows, 0), { line: 0, piece: 0 });
  assert.deepEqual(lineOfRow(rows, 2), { line: 1, piece: 0 });
  assert.equal(lineOfRow(rows, rows.count), null);
});
