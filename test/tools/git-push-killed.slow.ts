import assert from "node:assert/strict";
import test from "node:test";
import { killAndPushAgain } from "./git-push-killed.ts";

test("a push that is killed at any moment is ended by the same call again, for minutes", async (context) => {
  const end = performance.now() + 180_000;
  const tally = await killAndPushAgain(() => performance.now() > end);
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.before > 0 && tally.between > 0);
});
