// Bash, Python and Shell may use what builds and test suites need; Exec keeps the small limits, and a written limit holds for all.

import assert from "node:assert/strict";
import { totalmem } from "node:os";
import test from "node:test";
import { ownLimits } from "../../src/sandbox/own-limits.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { registerBashTool } from "../../src/tools/bash.ts";
import { registerExecTool } from "../../src/tools/exec.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";

const open = (t: { after(done: () => void): void }, limits?: Readonly<Record<string, number>>) => {
  const directories = makeTestDirectories();
  const registry = createRegistry();
  registerBashTool(registry);
  registerExecTool(registry);
  const grants = { tools: ["Bash", "Exec"], paths: [{ path: "/usr", mode: "r" as const }] };
  const gate = openGate(directories, limits === undefined ? grants : { ...grants, limits }, { registry });
  t.after(() => {
    gate.close();
    directories.remove();
  });
  return gate;
};

/** What a program is told of its limits. */
async function told(gate: ReturnType<typeof openGate>, tool: "Bash" | "Exec"): Promise<string> {
  const script = "ulimit -H -n; ulimit -H -f";
  const args = tool === "Bash" ? { script } : { argv: ["/usr/bin/bash", "-c", script] };
  const reply = await gate.call({ tool, args });
  assert.ok(reply.ok, JSON.stringify(reply));
  return (reply.result as unknown as { stdout: string }).stdout.trim().replace("\n", " ");
}

test("not written: what real work needs, and less for single programs", async (t) => {
  const gate = open(t);
  const nofile = Math.min(65_536, ownLimits().nofile);
  assert.equal(await told(gate, "Bash"), `${nofile} ${4 * 1024 * 1024}`);
  assert.equal(await told(gate, "Exec"), `256 ${64 * 1024}`);
  const planned = await gate.plan({ tool: "Bash", args: { script: "true" } });
  assert.ok(planned.ok);
  const { memoryMb, nproc } = planned.value.action.limits;
  assert.equal(memoryMb, Math.max(512, Math.min(8_192, Math.floor(totalmem() / 2 ** 21))));
  assert.equal(nproc, 4_096);
});

test("written: for all of them", async (t) => {
  const gate = open(t, { nofile: 99, fsize_mb: 3 });
  assert.equal(await told(gate, "Bash"), `99 ${3 * 1024}`);
  assert.equal(await told(gate, "Exec"), `99 ${3 * 1024}`);
});
