import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { countBars, everyHour, hourBars, roundUp, timeBars } from "../../../ui/log/chart-shape.ts";

const now = Date.parse("2026-03-04T12:34:56Z");
const size = { width: 100, height: 50 };

test("every hour is there, also the empty ones: a day at least, a week at most", () => {
  const hours = everyHour([{ hour: "2026-03-04T10:00:00.000Z", calls: 3, refused: 1 }], now);
  assert.equal(hours.length, 24);
  assert.deepEqual(hours.at(-3), { hour: "2026-03-04T10:00:00.000Z", calls: 3, refused: 1 });
  assert.deepEqual(hours.at(-1), { hour: "2026-03-04T12:00:00.000Z", calls: 0, refused: 0 });
  assert.equal(everyHour([{ hour: "2026-03-02T00", calls: 1, refused: 0 }], now).length, 61);
  const long = everyHour([{ hour: "2025-01-01T00:00:00Z", calls: 1, refused: 0 }], now);
  assert.deepEqual([long.length, long.some(({ calls }) => calls > 0)], [168, false]);
  assert.equal(everyHour([{ hour: "nonsense", calls: 1, refused: 0 }], now).length, 24);
});

test("bars stay in the picture, and what is there is never shown as nothing", () => {
  const hour = fc.record({ hour: fc.constant(""), calls: fc.nat(1_000_000), refused: fc.nat(1_000_000) });
  fc.assert(
    fc.property(fc.array(hour, { minLength: 1, maxLength: 168 }), (hours) => {
      const { calls, refused } = hourBars(hours, size);
      assert.equal(calls.length, hours.filter((one) => one.calls > 0).length);
      for (const { x, y, width, height } of [...calls, ...refused]) {
        assert.ok(height >= 2 && y >= -1e-9 && y + height <= size.height + 1e-9);
        assert.ok(width > 0 && x >= 0 && x + width <= size.width + 1e-9);
      }
    }),
  );
});

test("a bar twice as high stands for twice as many", () => {
  const { calls, most } = hourBars(
    [
      { hour: "", calls: 20, refused: 0 },
      { hour: "", calls: 40, refused: 0 },
    ],
    size,
  );
  assert.equal(most, 50);
  assert.deepEqual(
    calls.map(({ height }) => height),
    [20, 40],
  );
});

test("a scale ends at a number that can be read", () => {
  assert.deepEqual([0, 1, 2, 3, 6, 10, 11, 49, 51, 999].map(roundUp), [1, 1, 2, 5, 10, 10, 20, 50, 100, 1000]);
});

test("the most frequent come first, and the rest together", () => {
  const bars = countBars({ a: 1, b: 5, c: 2, d: 1, e: 10 }, 4);
  assert.deepEqual(
    bars.map(({ name, count, share }) => [name, count, share]),
    [
      ["e", 10, 1],
      ["b", 5, 0.5],
      ["c", 2, 0.2],
      ["2 more", 2, 0.2],
    ],
  );
  assert.deepEqual(countBars({}, 4), []);
});

test("times stand on a scale on which each step is ten times the last", () => {
  const [slow, fast] = timeBars(
    { fast: { count: 1, p50_s: 0.01, p95_s: 0.1 }, slow: { count: 9, p50_s: 1, p95_s: 10 } },
    5,
  );
  assert.equal(slow?.tool, "slow");
  assert.deepEqual([slow?.half, slow?.most], [0.75, 1]);
  assert.deepEqual([fast?.half, fast?.most], [0.25, 0.5]);
});
