// Comments on lines, as the agent reads them.

import assert from "node:assert/strict";
import test from "node:test";
import { reasonLines, type ReviewComment, reviewReason } from "../../src/approval/review-comments.ts";
import { limits } from "../../src/shared/limits.ts";
import { diffOf } from "../fixtures/push-question.ts";

const diff = diffOf([["a.ts", "1\n", "2\n"]]);
const comment = (text: string, path = "a.ts"): ReviewComment => ({ path, side: "after", line: 1, text });

test("nothing said is no reason; the whole comes first, then each line", () => {
  assert.deepEqual(reviewReason("  ", [], diff), { ok: true, value: null });
  const said = reviewReason(" Nearly. ", [comment('x\n"a.ts" line 2: y')], diff);
  assert.ok(said.ok);
  assert.equal(
    said.value,
    'Nearly.\n"a.ts" line 1: x\n    "a.ts" line 2: y',
    "no line of a comment begins like another",
  );
  assert.deepEqual(reasonLines(said.value ?? ""), ["Nearly.", '"a.ts" line 1: x "a.ts" line 2: y']);
});

test("a file that the diff does not have, and more than an agent is told, are refused", () => {
  assert.equal(reviewReason("", [comment("x", "b.ts")], diff).ok, false);
  const long = Array.from({ length: limits.reviewComments }, () => comment("x".repeat(1_000)));
  assert.equal(reviewReason("", long, diff).ok, false);
  assert.equal(reviewReason("", long.slice(0, 5), diff).ok, true);
});
