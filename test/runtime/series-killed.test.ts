// A series that is killed while it lands: nothing is lost, nothing is mixed, and the same push finishes it.

import assert from "node:assert/strict";
import test from "node:test";
import { killBeforeOwnChanges } from "./series-killed.ts";

test("a gate that is killed before the objects enter the repository, or while the files follow, leaves old or new, the person's work, and no lock", async (t) => {
  const rounds = await killBeforeOwnChanges(t, (change) => /^renameSync .*\.idx$|^linkSync a\.txt$/.test(change));
  assert.deepEqual(
    rounds.map(({ hasMoved }) => hasMoved),
    [false, true],
  );
});
