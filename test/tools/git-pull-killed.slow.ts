import assert from "node:assert/strict";
import test from "node:test";
import { killAndPullAgain } from "./git-pull-killed.ts";

test("a pull that is killed at any moment is whole or not at all, for minutes", async (context) => {
  const end = performance.now() + 180_000;
  const tally = await killAndPullAgain(() => performance.now() > end);
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.before > 0 && tally.after > 0);
});
