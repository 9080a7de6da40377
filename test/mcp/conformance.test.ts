// The MCP project's own suite against our transport: every scenario for a server that it has. All of them speak the
// protocol of 2025; it has none for that of 2026.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { mcpUser, startHttp } from "../fixtures/mcp.ts";
import { startFixture, startFront } from "./conformance-server.ts";

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json"));

function run(args: readonly string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [join(dirname(suite), "dist/index.js"), "server", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, text }));
  });
}

test("our transport passes the MCP conformance suite, but for what is listed with its reason", async (t) => {
  const url = await startFront(t, await startFixture(t));
  const expected = join(import.meta.dirname, "conformance-expected.yaml");
  const { code, text } = await run(["--url", url, "--suite", "all", "--expected-failures", expected]);
  assert.equal(code, 0, text);
  assert.match(text, /Running all suite \(32 scenarios\)/);
  const passed = Number(/Total: (\d+) passed, 0 failed/.exec(text)?.[1]);
  assert.ok(passed >= 44, text);
});

test("the real server passes every scenario that needs no tool of its own", async (t) => {
  const url = await startFront(t, await startHttp(t, mcpUser(t)));
  const names = [
    "server-initialize",
    "logging-set-level",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ];
  for (const name of names) {
    const { code, text } = await run(["--url", url, "--scenario", name]);
    assert.equal(code, 0, text);
    assert.match(text, /Passed: [1-9]/, name);
  }
});

test("the suite can fail: without a token it does", async (t) => {
  const { port } = await startFixture(t);
  const { code, text } = await run(["--url", `http://127.0.0.1:${port}/mcp`, "--scenario", "server-initialize"]);
  assert.equal(code, 1, text);
  assert.match(text, /token/);
});
