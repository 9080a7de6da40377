// Whole agents as npm brings them, without a terminal, in a test's own internet.

import assert from "node:assert/strict";
import test from "node:test";
import { newAgentTask, openAgentWorld, task } from "../../fixtures/agent-task.ts";

const world = await openAgentWorld();

for (const client of world.clients)
  test(`${client.title}, headless: reads, edits, tests, asks for a host, commits; the project changes when it lands`, async (t) => {
    const work = newAgentTask(t, client, world);
    const ended = work.person.runBeside(["run", "--", client.program, ...client.headless, task], work.env);
    await Promise.race([work.answerHost(), ended]);
    const { code, out, err } = await ended;
    assert.equal(code, 0, `${out.slice(-3000)}\n${err.slice(-3000)}`);
    work.assertDone();
    assert.match(err, /has changed 1 file, in 1 commit/);
    assert.ok(!out.includes(world.key) && !err.includes(world.key));
    await work.assertLands();
  });
