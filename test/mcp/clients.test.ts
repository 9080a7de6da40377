// Every kind of client, over both transports: the same tools, the same replies.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { ExecutionResult } from "../../src/index.ts";
import { countProcesses, runner } from "../fixtures/cli.ts";
import { clientsOver, connected, kinds, mcpUser, overHttp, startHttp } from "../fixtures/mcp.ts";
import { isFull } from "../fixtures/runs.ts";

for (const [transport, kind] of clientsOver(isFull)) {
  test(`${kind} over ${transport}: lists, runs, fails, is refused, and keeps its workspace`, async (t) => {
    const person = mcpUser(t);
    const client = await connected(t, person, transport, { kind });
    const tools = await client.listTools();
    assert.ok(tools.length >= 16);
    for (const tool of tools) {
      assert.ok(
        tool.title !== undefined && tool.description !== undefined && tool.annotations !== undefined,
        tool.name,
      );
      assert.deepEqual((tool.outputSchema as { required: string[]; type: string }).required, ["ok"]);
    }
    const done = await client.call("Exec", { argv: ["/bin/echo", "hi"] });
    assert.ok(done.reply.ok && !done.isError);
    assert.equal((done.reply.result as ExecutionResult).stdout, "hi\n");
    assert.match(done.text, /exit code 0[^]*hi/);

    const failed = await client.call("Bash", { script: "echo no >&2; exit 3" });
    assert.ok(failed.reply.ok, "a program that fails is a result");
    assert.equal((failed.reply.result as ExecutionResult).exit_code, 3);

    const wrong = await client.call("Exec", { argv: [], more: 1 });
    assert.ok(!wrong.reply.ok && wrong.isError);
    assert.equal(wrong.reply.error, "invalid_args");
    assert.match(wrong.text, /^invalid_args: /);
    const unknown = await client.call("Nothing", {});
    assert.ok(!unknown.reply.ok);
    assert.equal(unknown.reply.error, "tool_not_found");

    await client.call("write_file", { path: "/workspace/a.txt", content: "kept\n" });
    const read = await client.call("Bash", { script: "cat a.txt" });
    assert.ok(read.reply.ok);
    assert.equal((read.reply.result as ExecutionResult).stdout, "kept\n");
  });

  test(`${kind} over ${transport}: cancelling ends the process tree`, async (t) => {
    const person = mcpUser(t);
    const client = await connected(t, person, transport, { kind });
    const seconds = `97${Math.floor(Math.random() * 1e6)}`;
    const stop = new AbortController();
    const running = client.call(
      "Bash",
      { script: `setsid sleep ${seconds} & sleep ${seconds}`, timeout_s: 100 },
      { signal: stop.signal },
    );
    for (let tries = 0; countProcesses(`sleep ${seconds}`) < 2 && tries < 200; tries += 1) await sleep(50);
    assert.ok(countProcesses(`sleep ${seconds}`) >= 2, "it runs");
    stop.abort();
    await assert.rejects(running);
    for (let tries = 0; countProcesses(`sleep ${seconds}`) > 0 && tries < 200; tries += 1) await sleep(50);
    assert.equal(countProcesses(`sleep ${seconds}`), 0);
    const after = await client.call("Exec", { argv: ["/bin/echo", "still here"] });
    assert.ok(after.reply.ok);
  });

  test(`${kind} over ${transport}: progress carries what is printed, inert`, async (t) => {
    const person = mcpUser(t);
    const client = await connected(t, person, transport, { kind });
    const heard: { progress: number; message?: string | undefined }[] = [];
    await client.call(
      "Bash",
      { script: "for i in 1 2 3; do printf 'line %s \\033[2J\\n' $i; sleep 0.3; done" },
      { onprogress: (one) => heard.push(one) },
    );
    assert.ok(heard.length >= 2, `${heard.length} notifications`);
    assert.ok(heard.every(({ progress }, index) => index === 0 || progress > (heard[index - 1]?.progress ?? 0)));
    const said = heard.map(({ message }) => message ?? "").join("\n");
    assert.match(said, /line \d/); // one that came soon after another may stand for both
    assert.ok(!said.includes("\u001b"));
  });
}

test("a client sees only the tools that its agent is granted, and each connection has a session of its own", async (t) => {
  const person = mcpUser(t);
  const reader = await connected(t, person, "stdio", { kind: "2025", flags: ["--agent", "reader"] });
  assert.deepEqual((await reader.listTools()).map(({ name }) => name).sort(), ["list_files", "read_file"]);
  const one = await connected(t, person, "stdio", { kind: "2025" });
  const other = await connected(t, person, "stdio", { kind: "2025" });
  await one.call("write_file", { path: "/workspace/mine", content: "1" });
  const seen = await other.call("read_file", { path: "/workspace/mine" });
  assert.ok(!seen.reply.ok);
  assert.equal(seen.reply.error, "not_found");
});

test("--session gives a session that lasts", async (t) => {
  const person = mcpUser(t);
  const before = await connected(t, person, "stdio", { kind: "2025", flags: ["--session", "work"] });
  await before.call("write_file", { path: "/workspace/kept", content: "1" });
  await before.close();
  const after = await connected(t, person, "stdio", { kind: "2025", flags: ["--session", "work"] });
  assert.ok((await after.call("read_file", { path: "/workspace/kept" })).reply.ok);
});

test("a wrong configuration ends the server with what is wrong, and nothing on standard output", async (t) => {
  const person = mcpUser(t, "mode: sometimes");
  const done = person.run(["mcp"]);
  assert.equal(done.code, 2);
  assert.equal(done.out, "");
  assert.match(done.err, /approvals\.mode/);
});

test("an agent that does not exist ends the server before a client has spoken", async (t) => {
  const person = mcpUser(t);
  const child = spawn(process.execPath, [runner, "mcp", "--agent", "nope"], { cwd: person.project, env: person.env });
  t.after(() => child.kill("SIGKILL"));
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const [code] = await once(child, "close");
  assert.equal(code, 2);
  assert.match(err, /there is no agent "nope"/);
});

test("a server that is told to end writes down how its calls ended", async (t) => {
  const person = mcpUser(t);
  const server = await startHttp(t, person);
  const seconds = `96${Math.floor(Math.random() * 1e6)}`;
  const clients = await Promise.all(kinds.map((kind) => overHttp(t, server, { kind })));
  for (const client of clients)
    client.call("Bash", { script: `sleep ${seconds}`, timeout_s: 100 }).catch(() => undefined);
  for (let tries = 0; countProcesses(`sleep ${seconds}`) < 3 && tries < 200; tries += 1) await sleep(50);
  const gone = new Promise((resolve) => server.process.once("exit", resolve));
  server.process.kill("SIGTERM");
  await gone;
  assert.equal(countProcesses(`sleep ${seconds}`), 0);
  const stats = JSON.parse(person.run(["audit", "stats", "--json"]).out) as {
    calls: number;
    calls_without_end: object[];
  };
  assert.deepEqual([stats.calls, stats.calls_without_end], [3, []]);
});

test("the end of the input ends the server, and what it ran", async (t) => {
  const person = mcpUser(t);
  const seconds = `98${Math.floor(Math.random() * 1e6)}`;
  const client = await connected(t, person, "stdio", { kind: "2025" });
  const running = client.call("Bash", { script: `sleep ${seconds}`, timeout_s: 100 });
  running.catch(() => undefined);
  for (let tries = 0; countProcesses(`sleep ${seconds}`) < 1 && tries < 200; tries += 1) await sleep(50);
  assert.ok(countProcesses(`sleep ${seconds}`) >= 1);
  await client.close();
  for (let tries = 0; countProcesses(`sleep ${seconds}`) > 0 && tries < 200; tries += 1) await sleep(50);
  assert.equal(countProcesses(`sleep ${seconds}`), 0);
  for (let tries = 0; tries < 200; tries += 1) {
    if (person.run(["audit", "list", "--json", "--event", "finished"]).out.includes("Bash")) break;
    await sleep(50);
  }
  const stats = JSON.parse(person.run(["audit", "stats", "--json"]).out) as {
    calls: number;
    calls_without_end: object[];
  };
  assert.deepEqual([stats.calls, stats.calls_without_end], [1, []], "its end is on record");
});

test("a line that is too long, and a client that reads no more, end the server in order", async (t) => {
  const person = mcpUser(t);
  const start = () => {
    const child = spawn(process.execPath, [runner, "mcp"], { cwd: person.project, env: person.env, stdio: "pipe" });
    child.stdin.on("error", () => undefined);
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const ended = new Promise<{ code: number | null; err: string }>((resolve) =>
      child.once("close", (code) => resolve({ code, err })),
    );
    return { child, ended };
  };
  const long = start();
  long.child.stdout.resume();
  long.child.stdin.write("x".repeat(13 * 1024 * 1024));
  assert.equal((await long.ended).code, 141);
  const deaf = start();
  deaf.child.stdout.destroy();
  for (let id = 1; id < 4; id += 1)
    deaf.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } } })}\n`,
    );
  const { code, err } = await deaf.ended;
  assert.equal(code, 141, err);
  assert.doesNotMatch(err, /unsettled|    at /);
});
