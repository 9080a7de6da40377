// What holds for every adapter: names that the interfaces take, a text that fits, and an in-process MCP server that ends
// what a client cancels.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { gateServer } from "../../src/adapters/claude-agent.ts";
import { gateTools } from "../../src/adapters/anthropic.ts";
import { shortReply } from "../../src/adapters/model-tools.ts";
import { createRegistry, type Tool } from "../../src/index.ts";
import { ok } from "../../src/shared/result.ts";
import { limits } from "../../src/shared/limits.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { until } from "../fixtures/run.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

function place(t: TestContext) {
  const made = makeTestDirectories();
  t.after(() => made.remove());
  return made;
}

test("a tool whose name no model's interface takes is a mistake that is said, not a request that fails", (t) => {
  const registry = createRegistry();
  const tool: Tool = {
    name: "my.tool",
    title: "Mine",
    description: "Does nothing.",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
    arguments: z.strictObject({}),
    result: z.object({}),
    plan: () =>
      ok({
        kind: "programs",
        steps: [],
        reads: [],
        links: [],
        access: { mode: "r", seesWorkspace: false },
        network: "none",
        effects: [],
        startsIn: null,
        stopsAtFailure: true,
        read: () => ({}),
      }),
  };
  registry.register(tool);
  const made = place(t);
  const granted = openGate(made, { tools: ["*"] }, { registry });
  assert.throws(() => gateTools(granted), /"my\.tool": letters, digits, _ and - only/);
  granted.close();
  const other = openGate(made, { tools: ["Exec"] }, { registry });
  assert.deepEqual(gateTools(other), [], "what is not granted does not matter");
  other.close();
});

test("a long result keeps its beginning and its end, and says how much is gone", () => {
  const content = `first${"x".repeat(limits.replyTextCharacters)}last`;
  const { text } = shortReply({ ok: true, result: { content, encoding: "utf8" } }, {});
  assert.match(text, /^firstx+\n… 9 characters left out here; ask for less at once …\nx+last$/);
});

test("what a client of the in-process server cancels is ended", async (t) => {
  const { gate } = openScriptGate(place(t));
  const client = new Client({ name: "test", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await gateServer(gate).instance.connect(far);
  await client.connect(near);
  t.after(async () => {
    await client.close();
    gate.close();
  });
  const stop = new AbortController();
  const call = client.callTool({ name: "Bash", arguments: { script: "sleep 73" } }, { signal: stop.signal });
  const has = (event: "tool.call.dispatched" | "tool.call.finished") => [...gate.journal.list({ event })].length > 0;
  await until("the call runs", () => has("tool.call.dispatched"));
  stop.abort();
  await assert.rejects(call);
  await until("the call ended", () => has("tool.call.finished"));
});
