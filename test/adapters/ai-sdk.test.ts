// The gate's tools in the AI SDK, driven by its own mock model.

import assert from "node:assert/strict";
import test from "node:test";
import { generateText, isStepCount, type LanguageModel, streamText } from "ai";
import { gateTools } from "../../src/adapters/ai-sdk.ts";
import type { Gate } from "../../src/index.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { until } from "../fixtures/run.ts";
import { lastResult, type Move, scriptedModel } from "../fixtures/scripted-model.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

function setUp(t: { after(work: () => void): void }, moves: readonly Move[], tools: readonly string[] = ["*"]) {
  const directories = makeTestDirectories();
  const { gate, text } = openScriptGate(directories, { tools });
  t.after(() => {
    gate.close();
    directories.remove();
  });
  return { gate, text, model: scriptedModel(moves) };
}

const events = (gate: Gate, event: "tool.call.received" | "tool.call.dispatched" | "tool.call.finished") => [
  ...gate.journal.list({ event, order: "oldest" }),
];

const ask = (model: LanguageModel) => ({ model, prompt: "go", stopWhen: isStepCount(10) });

test("a model is given the granted tools, and its calls go through the gate", async (t) => {
  const { gate, text, model } = setUp(t, [
    { tool: "write_file", input: { path: "a.txt", content: "hello\n" } },
    { tool: "Bash", input: { script: "wc -c < a.txt" } },
    "six bytes",
  ]);
  const { text: said, steps } = await generateText({ ...ask(model), tools: gateTools(gate) });
  assert.equal(said, "six bytes");
  assert.equal(await text("a.txt"), "hello\n");
  const outputs = steps.flatMap(({ toolResults }) =>
    toolResults.flatMap((one) => (one.dynamic === true ? [] : [one.output])),
  );
  assert.equal(outputs.length, 2);
  assert.ok(outputs[1]?.ok === true && outputs[1].result["stdout"] === "6\n", "the program gets the whole reply");
  const [first, , last] = model.doGenerateCalls;
  const bash = first?.tools?.find((tool) => tool.name === "Bash");
  assert.ok(bash?.type === "function" && bash.inputSchema.required?.includes("script") === true);
  assert.match(lastResult(last?.prompt), /^exit code 0 after [\d.]+ s\n6$/, "the model reads a text");
  assert.deepEqual(
    events(gate, "tool.call.received").map(({ tool }) => tool),
    ["write_file", "Bash", "read_file"],
  );
});

test("a refusal is an answer, marked as an error; nothing is thrown", async (t) => {
  const { gate, model } = setUp(t, [
    { tool: "Bash", input: { script: "cat x", cwd: "/root" } },
    { tool: "Bash", input: { scrip: "true" } },
    "I may not",
  ]);
  const { steps } = await generateText({ ...ask(model), tools: gateTools(gate) });
  const outputs = steps.flatMap(({ toolResults }) =>
    toolResults.flatMap((one) => (one.dynamic === true ? [] : [one.output])),
  );
  assert.deepEqual(
    outputs.map((output) => (output.ok ? "done" : output.error)),
    ["fs_denied", "invalid_args"],
  );
  const { prompt } = model.doGenerateCalls[1] ?? {};
  assert.match(lastResult(prompt), /^fs_denied: .*\nHint: /);
  assert.match(JSON.stringify(prompt), /"type":"error-text"/);
});

test("only granted tools are there", (t) => {
  const { gate } = setUp(t, [], ["read_file", "list_files"]);
  assert.deepEqual(Object.keys(gateTools(gate)), ["read_file", "list_files"]);
});

test("aborting ends the program, with what it started", async (t) => {
  const { gate, model } = setUp(t, [
    { tool: "Bash", input: { script: "echo ready > r; sleep 71 & sleep 72" } },
    "done",
  ]);
  const stop = new AbortController();
  const tools = gateTools(gate);
  const running = generateText({ ...ask(model), tools, abortSignal: stop.signal });
  await until("the call runs", () => events(gate, "tool.call.dispatched").length > 0);
  stop.abort();
  await running.catch(() => undefined);
  await until("the call ended", () => events(gate, "tool.call.finished").length > 0);
  assert.match(JSON.stringify(events(gate, "tool.call.finished")[0]?.outcome), /"signal":"SIG/);
});

test("streaming works as well", async (t) => {
  const { gate, text, model } = setUp(t, [{ tool: "write_file", input: { path: "s", content: "streamed" } }, "done"]);
  const result = streamText({ ...ask(model), tools: gateTools(gate) });
  assert.equal(await result.text, "done");
  assert.equal(await text("s"), "streamed");
});
