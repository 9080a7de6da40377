import assert from "node:assert/strict";
import test from "node:test";
import { runs } from "../fixtures/runs.ts";
import { killAndPushAgain } from "./git-push-killed.ts";

test("a push that is killed at any moment is ended by the same call again, and nothing is left half done", async (context) => {
  // Each of the four kinds of moment once, and more where the machine was too fast or too slow for the one that counts.
  const tally = await killAndPushAgain((rounds, { between }) => rounds >= runs(8, 4) && (between > 0 || rounds >= 12));
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.between > 0, "no blow fell between the branch and its files: this has shown nothing");
});
