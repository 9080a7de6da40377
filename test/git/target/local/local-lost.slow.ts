import assert from "node:assert/strict";
import { after, it } from "node:test";
import { killAndLandAgain, tryRandomStates } from "./local-lost.ts";
import { openRoom } from "./local-room.ts";

const room = openRoom();
after(room.remove);

it("random work of a person's, random landings, for minutes", async (context) => {
  const tally = await tryRandomStates(room, { interruptAfterTimeLimit: 240_000, numRuns: 100_000 });
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.landed > 100 && tally.refused > 100);
});

it("killed at any moment, for minutes", async (context) => {
  const end = performance.now() + 240_000;
  const tally = await killAndLandAgain(room, () => performance.now() > end);
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.before > 0 && tally.between > 0 && tally.after > 0 && tally.left > 0);
});
