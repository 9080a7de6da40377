import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fileAt, ROW_HEIGHT, rowsBetween, topsOf } from "../../../ui/diff/layout.ts";
import { SeenLines } from "../../../ui/diff/seen-lines.ts";

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
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(5_000), fc.integer({ min: -3_000, max: 30_000 }), fc.nat(3_000), (...all) => {
      const [count, start, top, height] = all;
      const [from, to] = rowsBetween(count, start, top, top + height);
      for (let row = 0; row < count; row += 1) {
        const rowTop = start + row * ROW_HEIGHT;
        const isIn = rowTop + ROW_HEIGHT > top && rowTop < top + height;
        if (isIn) assert.ok(row >= from && row < to);
      }
      assert.ok(from >= 0 && to <= count && to - from <= height / ROW_HEIGHT + 2);
    }),
  );
});

test("a file is seen when every line of it was", () => {
  const seen = new SeenLines(3);
  seen.mark(0);
  seen.mark(2);
  seen.mark(2);
  seen.mark(-1);
  seen.mark(3);
  assert.equal(seen.isAll, false);
  seen.mark(1);
  assert.equal(seen.isAll, true);
});
