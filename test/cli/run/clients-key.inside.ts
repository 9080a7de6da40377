// The person's key and whole agents as npm brings them: while one works, the key is in no memory, environment or file of its box. Only
// root can look into all of a box from outside.

import assert from "node:assert/strict";
import test from "node:test";
import { newAgentTask, openAgentWorld, task } from "../../fixtures/agent-task.ts";
import { findInBox, type Found } from "../../fixtures/box-search.ts";

const world = await openAgentWorld();
const placeholder = "sallyport-placeholder-the-gate-adds-the-key";

for (const client of world.clients) {
  /** Looks when the model gets its last request: everything has been sent and answered at least once. */
  const lookWhile = async (
    t: Parameters<typeof newAgentTask>[0],
    words: string,
  ): Promise<Record<"key" | "placeholder", Found>> => {
    const work = newAgentTask(t, client, world);
    const script = world.model.script;
    let found: Record<"key" | "placeholder", Found> | null = null;
    world.model.script = (move, tools) => {
      const said = script(move, tools);
      if (typeof said === "string")
        found = {
          key: findInBox(work.person.project, world.key),
          placeholder: findInBox(work.person.project, placeholder),
        };
      return said;
    };
    const ended = work.person.runBeside(["run", "--", client.program, ...client.headless, words], work.env);
    await Promise.race([work.answerHost(), ended]);
    const { code, out, err } = await ended;
    assert.equal(code, 0, `${out.slice(-3000)}\n${err.slice(-3000)}`);
    assert.ok(found !== null, "it was looked for");
    return found;
  };

  test(`${client.title}: the key is nowhere in its box; control: the placeholder is`, async (t) => {
    const { key, placeholder: control } = await lookWhile(t, task);
    assert.deepEqual(key, { memory: [], environment: [], files: [] });
    assert.ok(control.memory.length > 0 && control.environment.length > 0, JSON.stringify(control));
  });

  test(`${client.title}: control: a key that is in the task is found in its memory and in its files`, async (t) => {
    const { key } = await lookWhile(t, `${task} My key is ${world.key}`);
    assert.ok(key.memory.length > 0 && key.files.length > 0, JSON.stringify(key));
  });
}
