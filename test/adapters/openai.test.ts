// The gate's tools in OpenAI's SDK: the real client, against a server that speaks both interfaces with scripted replies.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import OpenAI from "openai";
import {
  gateChatTools,
  gateResponseTools,
  gateRunnableTools,
  runChatTools,
  runResponseTools,
} from "../../src/adapters/openai.ts";
import { openModelGate } from "../fixtures/model-server.ts";

const model = "gpt-scripted";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

const call = (id: string, name: string, input: unknown): Call => ({ id, name, arguments: JSON.stringify(input) });

function completion(content: string | null, calls: readonly Call[] = []) {
  const tool_calls = calls.map(({ id, ...parts }) => ({ id, type: "function", function: parts }));
  const message = { role: "assistant", content, refusal: null, ...(calls.length === 0 ? {} : { tool_calls }) };
  const finish_reason = calls.length === 0 ? "stop" : "tool_calls";
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function response(text: string | null, calls: readonly Call[] = []) {
  const said = { id: "m1", type: "message", role: "assistant", status: "completed" };
  const content = [{ type: "output_text", text, annotations: [] }];
  const output = [
    ...calls.map(({ id, ...parts }) => ({ type: "function_call", id: `fc_${id}`, call_id: id, ...parts })),
    ...(text === null ? [] : [{ ...said, content }]),
  ];
  return { id: "resp_1", object: "response", created_at: 1, status: "completed", model, output, tools: [] };
}

async function setUp(t: TestContext, answers: readonly unknown[]) {
  const { gate, text, server } = await openModelGate(t, answers);
  const client = new OpenAI({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  return { gate, text, server, client };
}

test("a loop over chat.completions: tools given, calls answered in order, refusals told", async (t) => {
  const { gate, text, server, client } = await setUp(t, [
    completion(null, [
      call("a", "write_file", { path: "a.txt", content: "hello\n" }),
      call("b", "Bash", { script: "wc -c < a.txt" }),
    ]),
    completion(null, [
      call("c", "Bash", { script: "true", cwd: "/root" }),
      { id: "d", name: "Bash", arguments: '{"script": "tru' },
      call("e", "weather", {}),
    ]),
    completion("done"),
  ]);
  const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  let said: string | null | undefined;
  while (said === undefined) {
    const { choices } = await client.chat.completions.create({ model, messages, tools: gateChatTools(gate) });
    const message = choices[0]?.message as OpenAI.Chat.Completions.ChatCompletionMessage;
    messages.push(message, ...(await runChatTools(gate, message, { except: ["weather"] })));
    if (message.tool_calls === undefined) said = message.content;
  }
  assert.equal(said, "done");
  assert.equal(await text("a.txt"), "hello\n");
  const [first, second, third] = server.requests.map(({ body }) => body);
  const bash = first.tools.find((tool: any) => tool.function.name === "Bash");
  assert.deepEqual([bash.type, bash.function.strict], ["function", false]);
  assert.deepEqual(bash.function.parameters.required, ["script"]);
  assert.deepEqual([second.messages.at(-2).role, second.messages.at(-2).tool_call_id], ["tool", "a"]);
  assert.match(second.messages.at(-1).content, /^exit code 0 after [\d.]+ s\n6$/);
  const answers = third.messages.slice(-2);
  assert.deepEqual(
    answers.map(({ tool_call_id }: any) => tool_call_id),
    ["c", "d"],
  );
  assert.match(answers[0].content, /^fs_denied: /);
  assert.match(
    answers[1].content,
    /^invalid_args: The arguments are not JSON: "\{\\"script\\": \\"tru"\.\n/,
    "what is no JSON is refused, with what came, not thrown",
  );
});

test("a loop over responses", async (t) => {
  const { gate, text, server, client } = await setUp(t, [
    response(null, [call("a", "write_file", { path: "a.txt", content: "hello\n" })]),
    response(null, [call("b", "read_file", { path: "gone.txt" })]),
    response("done"),
  ]);
  const tools = gateResponseTools(gate);
  let answer = await client.responses.create({ model, tools, input: "go" });
  while (answer.output.some(({ type }) => type === "function_call"))
    answer = await client.responses.create({
      model,
      tools,
      previous_response_id: answer.id,
      input: await runResponseTools(gate, answer),
    });
  assert.equal(answer.output_text, "done");
  assert.equal(await text("a.txt"), "hello\n");
  const [first, second, third] = server.requests.map(({ body }) => body);
  const write = first.tools.find(({ name }: { name: string }) => name === "write_file");
  assert.deepEqual([write.type, write.strict, write.parameters.type], ["function", false, "object"]);
  const { type, call_id, output } = second.input.at(-1);
  assert.deepEqual([type, call_id], ["function_call_output", "a"]);
  assert.match(output, /"operation":"create"/);
  assert.match(third.input.at(-1).output, /^not_found: /);
});

test("the SDK's tool runner makes the calls by itself", async (t) => {
  const { gate, text, server, client } = await setUp(t, [
    completion(null, [call("a", "write_file", { path: "r.txt", content: "run" })]),
    completion(null, [call("b", "Bash", { script: "true", cwd: "/root" })]),
    completion("finished"),
  ]);
  const runner = client.chat.completions.runTools({
    model,
    messages: [{ role: "user", content: "go" }],
    tools: gateRunnableTools(gate),
  });
  assert.equal(await runner.finalContent(), "finished");
  assert.equal(await text("r.txt"), "run");
  assert.match(server.requests[2]?.body.messages.at(-1).content, /^fs_denied: /);
});
