// T10: a gate that is killed while a box is being built leaves nothing alive, whatever the moment.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import test, { after } from "node:test";
import { configText, makeTestDirectories } from "../fixtures/gate.ts";
import { runs } from "../fixtures/runs.ts";

const directories = makeTestDirectories();
after(() => directories.remove());

// Opens a gate, says so, and starts many calls at once when it is told to.
const worker = `
  import { createGate, createRegistry, registerExecTool } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
  const registry = createRegistry();
  registerExecTool(registry);
  const gate = createGate({ registry, statePath: ${JSON.stringify(directories.state)}, project: ${JSON.stringify(directories.project)}, configText: process.argv[2] });
  process.stdin.once("data", () => {
    for (let index = 0; index < 8; index++) void gate.call({ tool: "Exec", args: { argv: ["/bin/sleep", process.argv[3]] } });
  });
  console.log("ready");
`;

function isAlive(mark: string): boolean {
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(mark);
    } catch {
      return false; // it ended while we looked
    }
  });
}

async function killedAfter(delayMs: number, mark: string): Promise<void> {
  const grants = configText(directories, { paths: [{ path: "/usr", mode: "r" }] });
  const gate = spawn(process.execPath, ["--input-type=module", "-e", worker, "-", grants, mark], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await new Promise((resolve) => gate.stdout.once("data", resolve));
  gate.stdin.write("go\n");
  await sleep(delayMs);
  const ended = new Promise((resolve) => gate.once("exit", resolve));
  gate.kill("SIGKILL");
  await ended;
}

test("SIGKILL at any moment of eight starts leaves no box behind", { timeout: 110_000 }, async () => {
  const survivors: number[] = [];
  // On a busy machine fewer rounds, rather than none that counts.
  const end = performance.now() + 80_000;
  for (let round = 0; round < runs(16, 6) && performance.now() < end; round++) {
    const mark = `7${process.pid}.${round}`;
    const delayMs = (round * 7) % 40;
    await killedAfter(delayMs, mark);
    const deadline = performance.now() + 3_000;
    while (isAlive(mark) && performance.now() < deadline) await sleep(20);
    if (isAlive(mark)) survivors.push(delayMs);
  }
  assert.deepEqual(survivors, []);
});
