// The same at every change, and at every request.

import assert from "node:assert/strict";
import test from "node:test";
import { killAndPushAgain, targets } from "./targets-killed.ts";

for (const name of Object.keys(targets) as (keyof typeof targets)[])
  test(`a gate that is killed at any step of landing a series: ${name}`, { timeout: 900_000 }, async (t) => {
    const rounds = await killAndPushAgain(t, name, () => true);
    t.diagnostic(JSON.stringify(rounds.map(({ at, wasKilled, hasMoved }) => [at, wasKilled, hasMoved])));
    const killed = rounds.filter(({ wasKilled }) => wasKilled);
    assert.ok(killed.length > 2, `${killed.length} of ${rounds.length} were killed`);
    assert.ok(killed.some(({ hasMoved }) => !hasMoved));
  });
