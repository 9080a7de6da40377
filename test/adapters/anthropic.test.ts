// The gate's tools in Anthropic's SDK: the real client, against a server that speaks the Messages API with scripted replies.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { gateRunnableTools, gateTools, runTools } from "../../src/adapters/anthropic.ts";
import { openModelGate } from "../fixtures/model-server.ts";

const model = "claude-scripted";
const max_tokens = 1000;

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: unknown };

function reply(...content: readonly Block[]) {
  const stop_reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1 };
  return { id: "msg_1", type: "message", role: "assistant", model, content, stop_reason, stop_sequence: null, usage };
}

const use = (id: string, name: string, input: unknown): Block => ({ type: "tool_use", id, name, input });
const say = (text: string): Block => ({ type: "text", text });

async function setUp(t: TestContext, answers: readonly unknown[]) {
  const { gate, text, server } = await openModelGate(t, answers);
  const client = new Anthropic({ apiKey: "none", authToken: null, baseURL: server.url, maxRetries: 0 });
  return { gate, text, server, client };
}

test("a loop over messages.create: tools given, calls answered in order, refusals marked", async (t) => {
  const { gate, text, server, client } = await setUp(t, [
    reply(
      say("I write and count."),
      use("a", "write_file", { path: "a.txt", content: "hello\n" }),
      use("b", "Bash", { script: "wc -c < a.txt" }),
    ),
    reply(use("c", "Bash", { script: "true", cwd: "/root" }), use("d", "no_such", {})),
    reply(say("done")),
  ]);
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
  let message: Anthropic.Message;
  for (;;) {
    message = await client.messages.create({ model, max_tokens, messages, tools: gateTools(gate) });
    if (message.stop_reason !== "tool_use") break;
    messages.push({ role: "assistant", content: message.content });
    messages.push({ role: "user", content: await runTools(gate, message) });
  }
  assert.equal(message.content[0]?.type === "text" && message.content[0].text, "done");
  assert.equal(await text("a.txt"), "hello\n");
  const [first, second, third] = server.requests.map(({ body }) => body);
  const bash = first.tools.find(({ name }: { name: string }) => name === "Bash");
  assert.equal(bash.input_schema.type, "object");
  assert.deepEqual(bash.input_schema.required, ["script"]);
  const [wrote, counted] = second.messages.at(-1).content;
  assert.deepEqual([wrote.type, wrote.tool_use_id, wrote.is_error], ["tool_result", "a", undefined]);
  assert.match(counted.content, /^exit code 0 after [\d.]+ s\n6$/, "the second saw what the first wrote");
  const [denied, unknown] = third.messages.at(-1).content;
  assert.deepEqual([denied.tool_use_id, denied.is_error, unknown.is_error], ["c", true, true]);
  assert.match(denied.content, /^fs_denied: /);
  assert.match(unknown.content, /^tool_not_found: /);
});

test("tools of one's own are left to oneself", async (t) => {
  const { gate } = await setUp(t, []);
  const content = [use("a", "weather", {}), use("b", "list_files", {})];
  const answers = await runTools(gate, { content }, { except: ["weather"] });
  assert.deepEqual(
    answers.map(({ tool_use_id }) => tool_use_id),
    ["b"],
  );
});

test("the signal ends what runs, and what was to come does not start", async (t) => {
  const { gate } = await setUp(t, []);
  const content = [use("a", "Bash", { script: "sleep 77" }), use("b", "Bash", { script: "echo late" })];
  const answers = await runTools(gate, { content }, { signal: AbortSignal.timeout(300) });
  assert.match(JSON.stringify(answers[0]?.content), /^"ended by SIG/);
  assert.match(JSON.stringify(answers[1]?.content), /^"tool_failed: /);
});

test("the SDK's tool runner makes the calls by itself, and marks refusals", async (t) => {
  const { gate, text, server, client } = await setUp(t, [
    reply(use("a", "write_file", { path: "r.txt", content: "run" })),
    reply(use("b", "Bash", { script: "true", cwd: "/root" })),
    reply(say("finished")),
  ]);
  const last = await client.beta.messages.toolRunner({
    model,
    max_tokens,
    messages: [{ role: "user", content: "go" }],
    tools: gateRunnableTools(gate),
  });
  assert.equal(last.content[0]?.type === "text" && last.content[0].text, "finished");
  assert.equal(await text("r.txt"), "run");
  const denied = server.requests[2]?.body.messages.at(-1).content[0];
  assert.equal(denied.is_error, true);
  assert.match(JSON.stringify(denied.content), /^"fs_denied: /);
});
