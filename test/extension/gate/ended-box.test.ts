// The page of the box has a process of its own. If that ends, by a lack of memory or a flaw, the gate goes on, says so, and the next run works.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../../fixtures/run.ts";
import { noExtension } from "../browser.ts";
import { call, openOwnGate, pageProcesses, readText } from "./open-gate.ts";

test("the gate outlives the page of the box", { skip: noExtension }, async (t) => {
  const gate = await openOwnGate(t);
  if (gate === null) return;
  await gate.signIn();
  await gate.open();
  assert.ok((await call(gate, "write_file", { path: "kept.txt", content: "kept\n" })).ok);
  const begin = async () => {
    const before = await pageProcesses(gate.browser);
    assert.equal((await call(gate, "Bash", { script: "echo begun" })).result?.["stdout"], "begun\n");
    const [ofBox, ...more] = (await pageProcesses(gate.browser)).filter((id) => !before.includes(id));
    assert.ok(ofBox !== undefined && more.length === 0, "the page of the box came with this run");
    return ofBox;
  };
  process.kill(await begin(), "SIGKILL");
  const ofBox = await begin(); // another one, without a word

  const script = "echo lost > lost.txt; while true; do :; done";
  const running = call(gate, "Bash", { script, timeout_s: 120 });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  process.kill(ofBox, "SIGKILL");
  const { ok, error, message } = await running;
  assert.deepEqual([ok, error], [false, "sandbox_unavailable"], message);
  assert.match(message ?? "", /The box broke: its page does not answer, perhaps because the memory was full\. Nothing/);

  const next = await call(gate, "Bash", { script: "cat kept.txt; ls lost.txt" });
  assert.equal(next.result?.["stdout"], "kept\n", JSON.stringify(next));
  assert.equal(await readText(gate, "kept.txt"), "kept\n");
  await until("the record is whole", async () => (await gate.ask("GET", "/api/verification")).body["ok"] === true);
});
