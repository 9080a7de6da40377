// The same at every visible change, and before every change that the gate makes itself.

import assert from "node:assert/strict";
import test from "node:test";
import { killAtVisibleChanges, killBeforeOwnChanges } from "./series-killed.ts";

test("a gate that is killed at any visible step of landing a series leaves old or new", async (t) => {
  const changes = Array.from({ length: 20 }, (_, index) => index + 1);
  assert.ok((await killAtVisibleChanges(t, changes)) > 3, "some were killed");
});

test("the same before every change that the gate makes itself: first nothing has landed, then all of it", async (t) => {
  const rounds = await killBeforeOwnChanges(t, () => true);
  assert.ok(rounds.length > 25, `${rounds.length} changes`);
  const moved = rounds.map(({ hasMoved }) => hasMoved);
  assert.deepEqual(
    moved,
    moved.toSorted((a, b) => Number(a) - Number(b)),
  );
  assert.ok(moved.includes(false) && moved.includes(true));
});
