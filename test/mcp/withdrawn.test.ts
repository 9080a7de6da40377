// Questions of a client that is gone: where its session ended with the connection they wait no more, and what it was
// told before was true for its kind of session.

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { type CliUser, runner } from "../fixtures/cli.ts";
import { clientsOver, type Kind, kinds, mcpUser, overHttp, overStdio, protocols, startHttp } from "../fixtures/mcp.ts";
import { isFull } from "../fixtures/runs.ts";
import { until } from "../fixtures/run.ts";

/** Asks: nothing outside the grants is read unasked. */
const asking = { script: "cat /etc/hostname", needs: { read: ["/etc/hostname"] } };

/** Where a person would look. */
function lookAt(t: TestContext, person: CliUser) {
  const configDirectory = `${person.home}/.config/sallyport`;
  const store = new LocalStore({ stateDirectory: person.state, configDirectory, home: person.home });
  t.after(() => store.close());
  const { journal } = store;
  const answerService = openAnswerService({ store, journal: () => journal });
  return {
    watch: async () => {
      const watcher = await answerService.queue.watch("review");
      t.after(() => watcher.leave());
    },
    ended: () => [...journal.list({ event: "tool.call.denied" })].length,
    waiting: async () => (await answerService.listAndWithdrawEnded()).length,
    withdrawn: () =>
      [...journal.list({ event: "approval.timeout" })].filter(
        ({ outcome }) => typeof (outcome as Record<string, unknown>)["withdrawn"] === "string",
      ).length,
  };
}

async function ask(client: Awaited<ReturnType<typeof overStdio>>): Promise<string> {
  const { reply } = await client.call("Bash", asking);
  assert.ok(!reply.ok);
  return reply.hint ?? "";
}

for (const kind of isFull ? kinds : protocols)
  test(`${kind} over stdio: withdrawn when the client leaves; with --session it stays, and is said to`, async (t) => {
    const person = mcpUser(t);
    const [passing, named] = [
      await overStdio(t, person, { kind }),
      await overStdio(t, person, { kind, flags: ["--session", "mine"] }),
    ];
    assert.match(await ask(passing), /A person can answer while this connection lasts/);
    assert.match(await ask(named), /A person can answer within 24 hours/);
    const queue = lookAt(t, person);
    assert.equal(await queue.waiting(), 2);
    await passing.close();
    await named.close();
    await until("the first one's is withdrawn", () => queue.withdrawn() === 1);
    assert.deepEqual([await queue.waiting(), queue.withdrawn()], [1, 1]);
  });

test("over stdio: a server that is killed leaves no question behind", async (t) => {
  const person = mcpUser(t);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [runner, "mcp"],
    env: person.env,
    cwd: person.project,
  });
  const client = new Client({ name: "killed", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  t.after(() => client.close());
  await client.callTool({ name: "Bash", arguments: asking });
  const queue = lookAt(t, person);
  assert.equal(await queue.waiting(), 1);
  process.kill(transport.pid as number, "SIGKILL");
  await until("it is withdrawn", async () => (await queue.waiting()) === 0);
  assert.equal(queue.withdrawn(), 1);
});

test("over HTTP (2025): withdrawn when the session is ended, while the server goes on", async (t) => {
  const person = mcpUser(t);
  const { url, token } = await startHttp(t, person);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name: "leaving", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  t.after(() => client.close());
  const result = await client.callTool({ name: "Bash", arguments: asking });
  assert.match(JSON.stringify(result.structuredContent), /while this connection lasts/);
  const queue = lookAt(t, person);
  assert.equal(await queue.waiting(), 1);
  await transport.terminateSession();
  await until("it is withdrawn", async () => (await queue.waiting()) === 0);
  assert.equal(queue.withdrawn(), 1);
});

for (const [kind, left] of [
  ["2025", 0],
  ["2026", 1],
] as const satisfies readonly (readonly [Kind, number])[])
  test(`over HTTP (${kind}): the server ends: ${left === 0 ? "withdrawn" : "a session by name stays"}`, async (t) => {
    const person = mcpUser(t);
    const server = await startHttp(t, person);
    const hint = await ask(await overHttp(t, server, { kind }));
    assert.equal(hint.includes("while this connection lasts"), left === 0, hint);
    const queue = lookAt(t, person);
    assert.equal(await queue.waiting(), 1);
    server.process.kill("SIGTERM");
    await until("it has ended", () => server.process.exitCode !== null || server.process.signalCode !== null);
    assert.deepEqual([await queue.waiting(), queue.withdrawn()], [left, 1 - left]);
  });

// The client's own address chooses its session (2026); `--session` does it for one with a connection (2025).
for (const kind of ["2025", "2026"] as const)
  for (const command of isFull ? (["serve", "mcp"] as const) : (["serve"] as const))
    test(`over HTTP (${kind}): \`${command}\` ends while a call waits: nobody cancelled, so its question waits on`, async (t) => {
      const person = mcpUser(t, "mode: ask, timeout_s: 300");
      const start = async () => await startHttp(t, person, ["--session", "mine"], command);
      const server = await start();
      const client = await overHttp(t, server, { kind });
      const queue = lookAt(t, person);
      await queue.watch();
      const stop = new AbortController();
      const cancelled = client.call("Bash", asking, { signal: stop.signal }).catch(() => "cancelled");
      await until("it waits", async () => (await queue.waiting()) === 1);
      stop.abort("the person pressed Esc");
      assert.equal(await cancelled, "cancelled");
      await until("the control: cancelling withdraws it", () => queue.withdrawn() === 1);
      assert.equal(await queue.waiting(), 0);

      const left = new AbortController();
      const ended = client.call("Bash", asking, { signal: left.signal }).catch(() => "ended");
      await until("it waits", async () => (await queue.waiting()) === 1);
      server.process.kill("SIGTERM");
      await until("it has ended", () => server.process.exitCode !== null || server.process.signalCode !== null);
      assert.deepEqual([queue.ended(), queue.withdrawn()], [2, 1], "the call ended, and the record says so");
      left.abort("its server is gone");
      assert.equal(await ended, "ended");
      await start();
      assert.deepEqual([await queue.waiting(), queue.withdrawn()], [1, 1]);
    });

test("over HTTP (2025): a call whose connection dropped is not cancelled when its session ends", async (t) => {
  const person = mcpUser(t, "mode: ask, timeout_s: 300");
  const { url, token } = await startHttp(t, person, ["--session", "mine"]);
  const drop = new AbortController();
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (address, init) => {
      const isCall = typeof init?.body === "string" && init.body.includes('"tools/call"');
      return await fetch(address, isCall ? { ...init, signal: drop.signal } : init);
    },
  });
  const client = new Client({ name: "dropped", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  t.after(() => client.close());
  const queue = lookAt(t, person);
  await queue.watch();
  const waiting = client.callTool({ name: "Bash", arguments: asking }).catch(() => "ended");
  await until("it waits", async () => (await queue.waiting()) === 1);
  drop.abort();
  // The server hears of the end before it answers what comes after it.
  for (let round = 0; round < 2; round += 1) await client.listTools();
  await transport.terminateSession();
  await until("the call has ended", () => queue.ended() === 1);
  assert.deepEqual([await queue.waiting(), queue.withdrawn()], [1, 0]);
  await client.close();
  assert.equal(await waiting, "ended");
});

for (const [transport, kind] of clientsOver(isFull))
  test(`${kind} over ${transport}: a cancelled call takes its question with it; one whose time is over leaves it`, async (t) => {
    const person = mcpUser(t);
    const flags = ["--session", "mine"];
    const client =
      transport === "stdio"
        ? await overStdio(t, person, { kind, flags })
        : await overHttp(t, await startHttp(t, person), { kind });
    const queue = lookAt(t, person);
    await queue.watch();
    const stop = new AbortController();
    const cancelled = client.call("Bash", asking, { signal: stop.signal }).catch(() => "cancelled");
    await until("it waits", async () => (await queue.waiting()) === 1);
    stop.abort("the person pressed Esc");
    assert.equal(await cancelled, "cancelled");
    await until("it is withdrawn", async () => (await queue.waiting()) === 0);
    assert.equal(queue.withdrawn(), 1);
    if (transport === "http" && kind === "2026") return; // it ends the request for both, and says nothing
    await assert.rejects(client.call("Bash", asking, { timeout: 1_000 }), /timed out/i);
    await until("the call has ended", () => queue.ended() === 2);
    assert.deepEqual([await queue.waiting(), queue.withdrawn()], [1, 1]);
  });
