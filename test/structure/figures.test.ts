// What `npm run figures` counts, and must not grow again.

import assert from "node:assert/strict";
import test from "node:test";
import { sourceFigures } from "../../scripts/source-figures.ts";

const figures = sourceFigures("src");

test("contexts have written fields: Pick and Omit are used at edges alone", () => {
  assert.ok(figures.omitAndPick < 15, `${figures.omitAndPick} uses of Pick and Omit in src/`);
});

test("the figures are of this source", () => {
  assert.ok(figures.files > 100 && figures.lines > 10_000 && figures.commentPercent > 0);
});
