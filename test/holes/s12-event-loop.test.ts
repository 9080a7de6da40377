// S12: file tools answered without letting the event loop turn, so that a busy loop of them held up the time limit of
// another call of the same gate.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry, type ExecutionResult, registerBashTool, registerBuiltinTools } from "../../src/index.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";
import { turnsTaken } from "../store/turns-taken.ts";

function open() {
  const directories = makeTestDirectories();
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  return { directories, gate: openGate(directories, { tools: ["*"] }, { registry }) };
}

test("control: a loop that waits for nothing lets nothing else have its turn", async () => {
  const turns = await turnsTaken(async () => {
    for (let round = 0; round < 1_000; round += 1) await Promise.resolve();
  });
  assert.equal(turns, 0);
});

test("each call of a file tool lets everything else have its turn, one after the other and all at once", async (t) => {
  const { directories, gate } = open();
  t.after(() => (gate.close(), directories.remove()));
  const call = () => gate.call({ tool: "list_files", args: {} });
  await call();
  const inTurn = await turnsTaken(async () => {
    for (let round = 0; round < 20; round += 1) assert.ok((await call()).ok);
  });
  const atOnce = await turnsTaken(() => Promise.all(Array.from({ length: 20 }, call)));
  assert.ok(inTurn >= 20, `${inTurn} turns`);
  assert.ok(atOnce >= 20, `${atOnce} turns`);
});

test("a busy loop of file tools does not hold up the time limit of a program", async (t) => {
  const { directories, gate } = open();
  t.after(() => (gate.close(), directories.remove()));
  const limited = gate.call({ tool: "Bash", args: { script: "sleep 30", timeout_s: 1 } });
  let isOver = false;
  void limited.then(() => (isOver = true));
  // As long as it takes: without a turn the loop would never see the end.
  while (!isOver) await gate.call({ tool: "list_files", args: {} });
  const { timed_out } = resultOf(await limited) as unknown as ExecutionResult;
  assert.equal(timed_out, true);
});
