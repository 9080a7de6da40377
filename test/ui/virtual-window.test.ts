import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { rowWindow } from "../../ui/virtual-window.ts";

const view = { rowHeight: 40, viewHeight: 800, ready: 5 };

test("the rows in view and a few on both sides exist, and no others", () => {
  assert.deepEqual(rowWindow({ ...view, count: 10_000, viewTop: 0 }), { first: 0, last: 25 });
  assert.deepEqual(rowWindow({ ...view, count: 10_000, viewTop: 4_000 }), { first: 95, last: 125 });
  assert.deepEqual(rowWindow({ ...view, count: 10_000, viewTop: 399_600 }), { first: 9_985, last: 10_000 });
});

test("a list that is still below the view, or far above it, has none or its edge", () => {
  assert.deepEqual(rowWindow({ ...view, count: 100, viewTop: -5_000 }), { first: 0, last: 0 });
  assert.deepEqual(rowWindow({ ...view, count: 100, viewTop: 50_000 }), { first: 100, last: 100 });
  assert.deepEqual(rowWindow({ ...view, count: 0, viewTop: 0 }), { first: 0, last: 0 });
});

test("wherever one scrolls, every row in view exists and their number is bounded", () => {
  const context = fc.record({
    count: fc.nat(100_000),
    rowHeight: fc.integer({ min: 1, max: 200 }),
    viewTop: fc.integer({ min: -10_000, max: 5_000_000 }),
    viewHeight: fc.integer({ min: 0, max: 4_000 }),
    ready: fc.nat(30),
  });
  fc.assert(
    fc.property(context, (given) => {
      const { first, last } = rowWindow(given);
      assert.ok(first >= 0 && first <= last && last <= given.count);
      assert.ok(last - first <= Math.ceil(given.viewHeight / given.rowHeight) + 1 + 2 * given.ready);
      const top = Math.max(0, Math.floor(given.viewTop / given.rowHeight));
      const bottom = Math.min(given.count, Math.ceil((given.viewTop + given.viewHeight) / given.rowHeight));
      if (top < bottom) assert.ok(first <= top && last >= bottom);
    }),
  );
});
