import assert from "node:assert/strict";
import test from "node:test";
import { killAndPushAgain } from "./git-push-killed.ts";

test("a push that is killed at any moment is ended by the same call again, and nothing is left half done", async (context) => {
  const tally = await killAndPushAgain((rounds) => rounds >= 8);
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.between > 0, "no blow fell between the branch and its files: this has shown nothing");
});
