import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { Ranks } from "../../src/audit/ranks.ts";

const seconds = fc.oneof(
  fc.double({ min: 0, max: 0.05, noNaN: true }),
  fc.double({ min: 0, max: 4_000, noNaN: true }),
  fc.constantFrom(0, -0, -1, 0.5, Number.MIN_VALUE, Number.MAX_VALUE, Number.POSITIVE_INFINITY),
);
const share = fc.constantFrom(0, 0.01, 0.5, 0.95, 1);

test("a rank is that of all numbers in order, also when more come after it was asked for", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ seconds, share }), { minLength: 1, maxLength: 200 }), (all) => {
      const spread = new Ranks();
      const known: number[] = [];
      for (const one of all) {
        spread.add(one.seconds);
        known.push(one.seconds);
        const place = Math.max(0, Math.ceil(known.length * one.share) - 1);
        // 0 and -0 are one number in an order.
        assert.equal(spread.rank(one.share) + 0, (known.toSorted((a, b) => a - b)[place] ?? 0) + 0);
      }
      assert.equal(spread.count, all.length);
    }),
  );
  assert.equal(new Ranks().rank(0.5), 0);
});
