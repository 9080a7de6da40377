// The acceptance criteria of the exec tool's design note (seed 002), each as a test under its number.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test, { after } from "node:test";
import { createRegistry, registerBuiltinTools, registerExecTool, type Reply } from "../../src/index.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
const gate = openGate(directories);
after(() => {
  gate.close();
  directories.remove();
});

const exec = (args: unknown): Promise<Reply> => gate.call({ tool: "Exec", args });
const errorOf = (reply: Reply): string => (reply.ok ? "none" : reply.error);

test("002/1 Exec is opt-in: registerBuiltinTools does not register it, registerExecTool does", () => {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  assert.equal(registry.find("Exec"), undefined);
  registerExecTool(registry);
  assert.equal(registry.find("Exec")?.name, "Exec");
});

test("002/2 argv must be a list of strings, not empty, its first an absolute path that exists", async () => {
  const wrong: [unknown, RegExp][] = [
    ["/bin/ls -la", /argv/],
    [{ 0: "/bin/echo", length: 1 }, /argv/],
    [["/bin/echo", 1], /argv\[1\]/],
    [[], /argv/],
    [["echo"], /argv\[0\].*absolute/],
    [["./echo"], /argv\[0\].*absolute/],
    [["/nonexistent/echo"], /argv\[0\].*there is no/],
  ];
  for (const [argv, message] of wrong) {
    const reply = await exec({ argv });
    assert.equal(errorOf(reply), "invalid_args", JSON.stringify(argv));
    assert.ok(!reply.ok && message.test(reply.message), `${JSON.stringify(argv)}: ${JSON.stringify(reply)}`);
    assert.ok(!reply.ok && reply.hint !== undefined, "says what would pass");
  }
});

test("002/3 no shell: a metacharacter is a character", async () => {
  const result = resultOf(await exec({ argv: ["/bin/echo", "; pwd"] }));
  assert.equal(result["stdout"], "; pwd\n");
  const sources = globSync("src/**/*.ts").map((path) => readFileSync(path, "utf8"));
  assert.ok(sources.length > 50);
  for (const source of sources) assert.doesNotMatch(source, /shell:\s*true/);
});

test("002/4 without Exec in tool_grants: permission_denied, and nothing runs", async () => {
  const denied = openGate(directories, { tools: ["Git", "git_*"] });
  const reply = await denied.call({ tool: "Exec", args: { argv: ["/bin/echo", "hi"] } });
  assert.equal(errorOf(reply), "permission_denied");
  denied.close();
});

test("002/5 a program outside fs_grants: fs_denied", async () => {
  const narrow = openGate(directories, { paths: [{ path: "/usr/bin/grep", mode: "r" }] });
  assert.equal(errorOf(await narrow.call({ tool: "Exec", args: { argv: ["/bin/sh", "-c", "id"] } })), "fs_denied");
  const control = resultOf(await narrow.call({ tool: "Exec", args: { argv: ["/usr/bin/grep", "--version"] } }));
  assert.equal(control["exit_code"], 0);
  narrow.close();
});

test("002/6 the environment is scrubbed: a secret of the gate's own does not reach the program", async () => {
  process.env["ANTHROPIC_API_KEY"] = "canary-value";
  try {
    const result = resultOf(await exec({ argv: ["/usr/bin/env"] }));
    assert.doesNotMatch(result["stdout"] as string, /canary|ANTHROPIC/);
    const names = (result["stdout"] as string)
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    assert.deepEqual(names, ["HOME", "LANG", "LC_ALL", "PATH", "SHELL", "TERM", "USER"]);
  } finally {
    delete process.env["ANTHROPIC_API_KEY"];
  }
});

test("002/7 sleep 10 with timeout_s 1 ends as timed out in under 5 seconds", async () => {
  const started = performance.now();
  const result = resultOf(await exec({ argv: ["/bin/sleep", "10"], timeout_s: 1 }));
  assert.equal(result["timed_out"], true);
  assert.equal(result["signal"], "SIGTERM");
  assert.ok(performance.now() - started < 5000);
});

test("002/8 1 MB printed under max_output_bytes 1024 is truncated, and at most 1024 long", async () => {
  const result = resultOf(
    await exec({ argv: ["/usr/bin/head", "-c", "1000000", "/dev/zero"], max_output_bytes: 1024 }),
  );
  assert.equal(result["stdout_truncated"], true);
  assert.equal(result["stdout_bytes"], 1_000_000);
  assert.ok((result["stdout"] as string).length <= 1024);
  assert.match(result["stdout"] as string, /bytes left out/);
});

test("002/9 end to end, the dispatched entry with the argv is in the record", async () => {
  const marker = `criterion-9-${process.pid}`;
  resultOf(await exec({ argv: ["/bin/echo", marker] }));
  const entries = [...gate.journal.list({ text: marker })];
  assert.deepEqual(entries.map((entry) => entry.event).sort(), ["tool.call.dispatched", "tool.call.received"]);
  const dispatched = entries.find((entry) => entry.event === "tool.call.dispatched");
  const args = dispatched?.args as { argv: string[] } | undefined;
  assert.deepEqual(args?.argv, ["/bin/echo", marker]);
  const story = gate.journal.story(dispatched?.call_id ?? "");
  assert.deepEqual(
    story.map((entry) => entry.event),
    ["tool.call.received", "tool.call.dispatched", "tool.call.finished"],
  );
  assert.ok(gate.journal.verify().ok);
});

test("002/10 the tool is additive: only the library's entry and the surfaces know its file", () => {
  const importers = globSync("src/**/*.ts").filter((path) =>
    /from "[./]*(tools\/)?exec\.ts"/.test(readFileSync(path, "utf8")),
  );
  for (const path of importers) assert.match(path, /^src\/(index\.ts|cli\/)/, path);
});
