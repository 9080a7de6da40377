// A series that is killed on its way to another place: nothing or all of it is there, and the same push ends it with the same commits.

import assert from "node:assert/strict";
import test from "node:test";
import { killAndPushAgain } from "./targets-killed.ts";

test("a gate that is killed before the objects enter a bare repository", async (t) => {
  const rounds = await killAndPushAgain(t, "a bare repository", (change) => /^renameSync .*\.idx$/.test(change));
  assert.deepEqual(rounds.map(({ wasKilled, hasMoved }) => [wasKilled, hasMoved]), [[true, false]]); // prettier-ignore
});

test("a gate that is killed while a server with a password has its last request", async (t) => {
  const rounds = await killAndPushAgain(t, "a remote over HTTP with a password", (_, at, count) => at === count - 1);
  assert.deepEqual(rounds.map(({ wasKilled }) => wasKilled), [true]); // prettier-ignore
});
