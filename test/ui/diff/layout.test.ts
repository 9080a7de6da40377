import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { fileAt, ROW_HEIGHT, topsOf } from "../../../ui/diff/layout.ts";
import { RowTops } from "../../../ui/diff/row-tops.ts";
import { SeenPieces } from "../../../ui/diff/seen-pieces.ts";

test("the file at a place is the one whose top is the last above it", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }), fc.integer(), (heights, place) => {
      const tops = topsOf(heights);
      const file = fileAt(tops, place);
      const expected = Math.max(
        0,
        tops.slice(0, -1).findLastIndex((top) => top <= place),
      );
      assert.equal(file, expected);
    }),
  );
});

test("rows between two places are all that reach into them, and no others", () => {
  const heights = fc.array(fc.constantFrom(1, 1, 1, 2, 3, 60), { maxLength: 300 });
  const place = fc.integer({ min: -3_000, max: 30_000 });
  fc.assert(
    fc.property(heights, fc.boolean(), place, fc.nat(3_000), (high, isEven, top, height) => {
      const rows = new RowTops(high.length, isEven ? undefined : (row) => high[row] as number);
      const [from, to] = rows.between(top, top + height);
      for (const [row, units] of high.entries()) {
        assert.equal(rows.heightOf(row), (isEven ? 1 : units) * ROW_HEIGHT);
        const isIn = height > 0 && rows.top(row + 1) > top && rows.top(row) < top + height;
        assert.equal(row >= from && row < to, isIn, `row ${row}`);
      }
      assert.ok(from >= 0 && to <= high.length);
    }),
  );
});

test("the row at a place is the one whose top is the last above it", () => {
  const heights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(heights, fc.integer({ min: -50, max: 9_000 }), (high, place) => {
      const rows = new RowTops(high.length, (row) => high[row] as number);
      const tops = high.map((_, row) => rows.top(row));
      const expected = Math.max(
        0,
        tops.findLastIndex((top) => top <= place),
      );
      assert.equal(rows.at(place), expected);
      assert.equal(rows.height, high.reduce((sum, one) => sum + one, 0) * ROW_HEIGHT);
    }),
  );
});

test("a file is seen when every line of it was", () => {
  const seen = new SeenPieces(3);
  seen.mark(0);
  seen.mark(2);
  seen.mark(2);
  seen.mark(-1);
  seen.mark(3);
  assert.equal(seen.isAll, false);
  seen.mark(1);
  assert.equal(seen.isAll, true);
});
