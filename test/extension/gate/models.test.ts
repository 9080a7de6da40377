// Each provider of models that is not in the story: its SDK as the extension bundles it, before a server that speaks as it does.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../../fixtures/run.ts";
import { noExtension } from "../browser.ts";
import { startChatServer } from "../work/chat-server.ts";
import { openOwnGate, readText } from "./open-gate.ts";

test("an agent of Google's calls tools and says what it did", { skip: noExtension }, async (t) => {
  const gate = await openOwnGate(t);
  if (gate === null) return;
  const { ask } = gate;
  const state = () => gate.state();
  const moves = [{ tool: "write_file", input: { path: "a.txt", content: "written\n" } }, "I wrote a.txt."];
  const model = await startChatServer(t, moves, "google");
  await gate.signIn();
  await gate.open();
  const settings = { model: { provider: "google", name: "scripted", baseUrl: model.url } };
  assert.equal((await ask("PUT", "/api/work/settings", settings)).status, 200);
  assert.equal((await ask("PUT", "/api/work/key", { key: "key-of-nobody" })).status, 200);
  assert.equal((await ask("POST", "/api/work/agent", { task: "Write a file" })).status, 200);
  await until("the agent has stopped", async () => (await state()).agent?.isRunning === false);
  const { agent } = await state();
  assert.equal(agent?.problem, null);
  assert.deepEqual(agent?.lines.at(-1), { kind: "text", text: "I wrote a.txt." });
  assert.equal(await readText(gate, "a.txt"), "written\n");
  assert.deepEqual(model.keys, ["key-of-nobody", "key-of-nobody"]);
  assert.ok(model.tools.includes("git_push") && model.tools.includes("Bash"), model.tools.join(" "));
});
