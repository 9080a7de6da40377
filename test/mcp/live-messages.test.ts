// What a client that does not read costs: over HTTP nothing holds a program back, so what is sent has an end.

import assert from "node:assert/strict";
import test from "node:test";
import type { ServerContext } from "@modelcontextprotocol/server";
import { clientsOver, connected, mcpUser } from "../fixtures/mcp.ts";
import { isFull } from "../fixtures/runs.ts";
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

for (const [transport, kind] of clientsOver(isFull))
  test(`${kind} over ${transport}: a client that gives up on a silent call hears that a silent program goes on`, async (t) => {
    const client = await connected(t, mcpUser(t), transport, { kind });
    const silent = { script: "sleep 14; echo awake" };
    const impatient = { timeout: 10_000, resetTimeoutOnProgress: true };
    assert.ok((await client.call("Bash", { script: "true" })).reply.ok); // the session is open: on a busy machine that takes long
    const heard: { progress: number; message?: string | undefined }[] = [];
    const call = client.call("Bash", silent, { ...impatient, onprogress: (progress) => heard.push(progress) });
    // The control: unheard, it gives up.
    const unheard = client.call("Bash", { script: "sleep 15" }, impatient);
    await assert.rejects(unheard, /timed out/i);
    const done = await call;
    assert.match(done.text, /awake/);
    assert.ok(heard.some(({ message = "" }) => /^Bash is at work \(\d+ s\)$/.test(message)));
    const numbers = heard.map(({ progress }) => progress);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    );
    assert.equal(new Set(numbers).size, numbers.length, "it only grows");
  });
