// What a client that does not read costs: over HTTP nothing holds a program back, so what is sent has an end.

import assert from "node:assert/strict";
import test from "node:test";
import type { ServerContext } from "@modelcontextprotocol/server";
import { openLiveMessages } from "../../src/mcp/live-messages.ts";
import { limits } from "../../src/shared/limits.ts";

function listening(meta: object = {}) {
  const sent: { method: string; params?: Record<string, unknown> | undefined }[] = [];
  const context = { mcpReq: { _meta: meta, notify: async (one: (typeof sent)[number]) => void sent.push(one) } };
  return { sent, context: context as unknown as ServerContext };
}

const textOf = ({ params }: { params?: Record<string, unknown> | undefined }): string =>
  String((params?.["data"] as { text?: string } | undefined)?.text);

test("the debug log of a call ends with a word about it", async () => {
  const { sent, context } = listening();
  const live = openLiveMessages(context, "Bash", true);
  const chunk = Buffer.from("x".repeat(64 * 1024));
  for (let count = 0; count < 200; count += 1) await live.onOutput("stdout", chunk);
  await live.end();
  const total = sent.reduce((sum, one) => sum + textOf(one).length, 0);
  assert.ok(total <= limits.debugLogBytes, `${total}`);
  assert.ok(total > limits.debugLogBytes / 2);
  assert.match(textOf(sent.at(-1) ?? {}), /in the reply alone/);
});

test("a client that asked for nothing is sent nothing, and characters are not cut in two", async () => {
  const deaf = listening();
  const quiet = openLiveMessages(deaf.context, "Bash", false);
  await quiet.onOutput("stdout", Buffer.from("hello"));
  await quiet.end();
  assert.deepEqual(deaf.sent, []);
  const { sent, context } = listening();
  const live = openLiveMessages(context, "Bash", true);
  const [first, second] = [Buffer.from("ä").subarray(0, 1), Buffer.from("ä").subarray(1)];
  await live.onOutput("stdout", first);
  await live.onOutput("stdout", second);
  assert.equal(sent.map(textOf).join(""), "ä");
});
