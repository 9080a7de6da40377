// A run that fails for a reason of the box gets one hint, which says what would help. Each is a real failure, but for the two that need
// a disk or an owner that a test cannot have.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import { createRegistry } from "../../src/tools/registry.ts";
import { registerBashTool } from "../../src/tools/bash.ts";
import { registerShellTool } from "../../src/tools/shell.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());
const registry = createRegistry();
registerBashTool(registry);
registerShellTool(registry);

const limits = { memory_mb: 64, fsize_mb: 2, nofile: 40, nproc: 30 };
const gate = openGate(
  directories,
  { tools: ["Bash", "Shell"], paths: [{ path: "/usr", mode: "r" }], limits },
  { registry },
);
after(() => gate.close());

interface Ran {
  readonly exit_code: number | null;
  readonly timed_out: boolean;
  readonly hint?: string;
}

async function ran(script: string, more: Record<string, unknown> = {}): Promise<Ran> {
  const reply = await gate.call({ tool: "Bash", args: { script, ...more } });
  assert.ok(reply.ok, JSON.stringify(reply));
  return reply.result as unknown as Ran;
}

const python = (text: string) => `python3 - <<'END'\n${text}\nEND`;

const failures: readonly (readonly [what: string, script: string, hint: RegExp])[] = [
  [
    "open files",
    python("f = [open('/dev/null') for n in range(100)]"),
    /nofile is 40.*agents\.default\.limits\.nofile/,
  ],
  ["memory", python("x = bytearray(500_000_000)"), /memory_mb is 64.*agents\.default\.limits\.memory_mb/],
  ["the size of a file", "head -c 9000000 /dev/zero > big; exit 1", /fsize_mb is 2.*agents\.default\.limits\.fsize_mb/],
  ["processes", "for n in $(seq 60); do sleep 5 & done; exit 1", /nproc is 30.*agents\.default\.limits\.nproc/],
  ["a command that is not there", "no-such-command-here --version", /no-such-command-here is not in the box.*doctor/],
  [
    "another mount",
    python("import os\nos.mkdir('/tmp/d')\nos.rename('/tmp/d', '/workspace/d')"),
    /renamed from one mount/,
  ],
  ["a sandbox in the box", "unshare --user true", /in a box already/],
  ["a read-only path", "touch /usr/x", /Only \/workspace, \/tmp and what is granted rw/],
  [
    "no network",
    python("import socket\nsocket.create_connection(('192.0.2.1', 80), 3)"),
    /There is no network in the box/,
  ],
  ["a full layer", "echo 'write: No space left on device' >&2; exit 1", /256 MiB each/],
  ["an owner outside", "echo 'rm: x: Value too large for defined data type' >&2; exit 1", /belongs to another user/],
];

for (const [what, script, hint] of failures)
  test(`${what}: said with what would help`, async () => {
    const result = await ran(script);
    assert.notEqual(result.exit_code, 0, JSON.stringify(result));
    assert.match(result.hint ?? `no hint: ${JSON.stringify(result)}`, hint);
  });

test("a run that says nothing until its time is up", async () => {
  const silent = await ran("sleep 5", { timeout_s: 1 });
  assert.equal(silent.timed_out, true);
  assert.match(silent.hint ?? "", /printed nothing.*input.*network.*timeout_s/);
  const loud = await ran("echo working; sleep 5", { timeout_s: 1 });
  assert.deepEqual([loud.timed_out, loud.hint], [true, undefined], "the control: it said where it was");
});

test("a run that ends well gets none, whatever it prints", async () => {
  const result = await ran("echo 'EMFILE: too many open files, no space left on device'");
  assert.deepEqual([result.exit_code, result.hint], [0, undefined]);
});

test("only the beginning of a line is searched, however long a program makes it", async () => {
  const at = (padding: number) => ran(`printf '%*s%s\\n' ${padding} '' 'sandbox namespace failed' >&2; exit 1`);
  assert.match((await at(10)).hint ?? "", /in a box already/, "control");
  assert.equal((await at(600)).hint, undefined);
  // A pattern that tries every pair of words in one line of 16,000 characters would keep the gate busy for minutes.
  const hostile = await ran("for n in $(seq 1000); do printf 'sandbox namespace '; done; exit 1");
  assert.deepEqual([hostile.exit_code, hostile.hint], [1, undefined]);
});

test("Shell says the same, in terms of its own arguments", async () => {
  await ran("echo \"open('/usr/x', 'w')\" > writes.py");
  const reply = await gate.call({ tool: "Shell", args: { command: "python3 writes.py", work_dir: "/workspace" } });
  assert.ok(reply.ok, JSON.stringify(reply));
  const [result] = (reply.result as unknown as { results: readonly Ran[] }).results;
  assert.match(result?.hint ?? JSON.stringify(result), /Only \/workspace.*Bash with "needs"/);
});
