// T10: the small process that starts the boxes can be killed like any other: what ran is ended and said to be, and the gate goes on.

import assert from "node:assert/strict";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { exec, forkers, mark, processesWith, ran, refused, until } from "../fixtures/run.ts";

test("a killed forker ends its boxes and is replaced; a closed gate has none", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  assert.deepEqual(forkers(), [], "none before the first call");
  const word = mark();
  const calls = [1, 2, 3].map(() => exec(gate, ["/bin/sleep", "1000"]));
  const marked = exec(gate, ["/bin/bash", "-c", `: ${word}; sleep 1000; :`]);
  await until("the boxes run", () => processesWith(word).length > 0);
  const [forker, ...others] = forkers();
  assert.ok(forker !== undefined && others.length === 0, "one for all of them");
  process.kill(forker, "SIGKILL");
  for (const reply of await Promise.all([...calls, marked])) {
    const { error, message } = refused(reply);
    assert.equal(error, "sandbox_unavailable");
    assert.match(message, /ended before its time/);
  }
  await until("nothing is left of them", () => processesWith(word).length === 0);
  assert.equal(ran(await exec(gate, ["/bin/echo", "still here"])).stdout, "still here\n");
  assert.equal(forkers().length, 1);
  gate.close();
  await until("the forker of a closed gate ends", () => forkers().length === 0);
});
