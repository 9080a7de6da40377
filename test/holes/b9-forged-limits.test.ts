// B9: a program that sent itself SIGXCPU or SIGXFSZ was reported as one that a limit had ended.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test, type TestContext } from "node:test";
import { createRegistry, type ExecutionResult, registerBashTool } from "../../src/index.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";

function bashIn(t: TestContext, limits: Readonly<Record<string, number>> = {}) {
  const directories = makeTestDirectories();
  const registry = createRegistry();
  registerBashTool(registry);
  const gate = openGate(directories, { tools: ["Bash"], limits }, { registry });
  t.after(() => (gate.close(), directories.remove()));
  return async (script: string, timeout_s = 20): Promise<ExecutionResult> =>
    resultOf(await gate.call({ tool: "Bash", args: { script, timeout_s } })) as unknown as ExecutionResult;
}

const perl = (code: string) => `exec perl -e '${code}'`;

/** Ways to be ended by the signal of that number, by one's own doing. */
const forgeries = (number: number): Readonly<Record<string, string>> => ({
  kill: `kill -${number} $$`,
  "a child's kill": `(kill -${number} $$); sleep 1`,
  tgkill: perl(`syscall(234, $$ + 0, $$ + 0, ${number}); sleep 1`),
  "parent's death": perl(
    `pipe(R, W); if (!fork) { my $p = getppid; syscall(157, 1, ${number}, 0, 0, 0); syswrite W, "x"; sleep 2; kill 9, $p } sysread R, my $x, 1; exit 3`,
  ),
});

test("control: without us, each of them ends a program by that signal", () => {
  for (const [number, name] of [
    [24, "SIGXCPU"],
    [25, "SIGXFSZ"],
  ] as const) {
    for (const way of ["kill", "a child's kill", "tgkill"]) {
      if (way !== "kill" && way !== "a child's kill" && process.arch !== "x64") continue; // the numbers are x64's
      const { signal } = spawnSync("/bin/bash", ["-c", forgeries(number)[way] ?? ""]);
      assert.equal(signal, name, way);
    }
  }
});

test("a signal that a program sent itself is no limit that was hit, and no time that ran out", async (t) => {
  const bash = bashIn(t);
  for (const number of [24, 25]) {
    for (const [way, script] of Object.entries(forgeries(number))) {
      const { limit_hit, timed_out } = await bash(script);
      assert.deepEqual([limit_hit, timed_out], [null, false], `${number} by ${way}`);
    }
  }
  assert.equal((await bash("kill -XCPU $$")).signal, "SIGXCPU", "the signal itself is told");
});

test("a processor limit that the program set itself is not ours", async (t) => {
  const bash = bashIn(t, { cpu_s: 10 });
  const { signal, limit_hit } = await bash(`ulimit -St 1; ${perl("1 while 1")}`);
  assert.deepEqual([signal, limit_hit], ["SIGXCPU", null]);
});

test("limits that are hit are told as before", async (t) => {
  const bash = bashIn(t, { cpu_s: 1, fsize_mb: 1 });
  const cpu = await bash(perl("1 while 1"));
  assert.deepEqual([cpu.signal, cpu.limit_hit, cpu.timed_out], ["SIGXCPU", "cpu", false]);
  const file = await bash("exec dd if=/dev/zero of=/workspace/big bs=64k count=64");
  assert.deepEqual([file.signal, file.limit_hit], ["SIGXFSZ", "fsize"]);
  assert.equal((await bash("kill -TERM $$")).signal, "SIGTERM", "other signals can be sent");
  const { timed_out, limit_hit } = await bashIn(t)(perl("1 while 1"), 1);
  assert.deepEqual([timed_out, limit_hit === "cpu" || limit_hit === null], [true, true]);
});
