import assert from "node:assert/strict";
import { after, it } from "node:test";
import { killAndLandAgain, tryRandomStates } from "./local-lost.ts";
import { openRoom } from "./local-room.ts";

const room = openRoom();
after(room.remove);

it("random work of a person's, random landings: either all of both is there, or nothing has changed", async (context) => {
  const tally = await tryRandomStates(room, { interruptAfterTimeLimit: 5_000, numRuns: 1_000 });
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.landed > 0 && tally.refused > 0);
});

it("killed at any moment: the branch is the old or the new one, and the same landing again finishes it", async (context) => {
  const end = performance.now() + 7_000;
  const tally = await killAndLandAgain(room, (rounds) => rounds >= 8 && performance.now() > end);
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.before > 0 && tally.between + tally.after > 0);
});
