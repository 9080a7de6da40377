// examples/claude-agent: the real Agent SDK, with a scripted program where Claude Code's own would be.

import "../fixtures/own-package.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Gate } from "../../src/index.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

const root = join(import.meta.dirname, "../..");
const example = join(root, "examples/claude-agent");
const isInstalled = existsSync(join(example, "node_modules/@anthropic-ai/claude-agent-sdk"));
const skip = isInstalled ? false : "the Claude Agent SDK is not installed; run: npm ci in examples/claude-agent";

interface Example {
  readonly openAgentGate: (project: string) => Gate;
  readonly runAgent: (task: string, gate: Gate, more: object) => Promise<string>;
}

test("Claude Code is given the gate's tools and no others, and its calls go through the gate", { skip }, async (t) => {
  // By a path that is not looked at when types are checked: where the SDK is not installed, it has none.
  const { openAgentGate, runAgent } = (await import(join(example, "agent.ts"))) as Example;
  const directories = makeTestDirectories();
  process.env["XDG_STATE_HOME"] = directories.state;
  const gate = openAgentGate(directories.project);
  t.after(() => {
    gate.close();
    directories.remove();
  });
  const pathToClaudeCodeExecutable = join(root, "test/fixtures/scripted-claude.js");
  const said = await runAgent("go", gate, { pathToClaudeCodeExecutable, executable: process.execPath });
  const { argv, serverInfo, tools, wrote, refused } = JSON.parse(said);
  assert.equal(serverInfo.name, "sallyport");
  const names = tools.map(({ name }: { name: string }) => name);
  assert.ok(names.includes("git_push") && !names.includes("Exec"), names.join());
  assert.deepEqual(tools.find(({ name }: { name: string }) => name === "read_file").annotations.readOnlyHint, true);
  assert.ok(argv.includes("--tools="), "none of its own");
  const allowed = argv.find((word: string) => word.startsWith("--allowedTools="));
  assert.deepEqual(
    allowed.replace("--allowedTools=", "").split(","),
    names.map((name: string) => `mcp__sallyport__${name}`),
  );
  assert.deepEqual(wrote.structuredContent.result.operation, "create");
  assert.deepEqual([refused.isError, refused.structuredContent.error], [true, "fs_denied"]);
  assert.match(refused.content[0].text, /^fs_denied: /);
  const calls = [...gate.journal.list({ event: "tool.call.received", order: "oldest" })];
  assert.deepEqual(
    calls.map(({ tool }) => tool),
    ["write_file", "Bash"],
  );
});

test("the example fits the SDK's own types", { skip }, () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const done = spawnSync(process.execPath, [tsc, "-p", example], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stdout);
});
