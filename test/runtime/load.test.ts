// The gate under load: many calls at once, much output, long use. Nothing is wrong, lost or left behind.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Gate } from "../../src/index.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";
import { forkers, startedProcesses, until } from "../fixtures/run.ts";
import { runs } from "../fixtures/runs.ts";

const directories = makeTestDirectories();
after(() => directories.remove());

function withGate<T>(use: (gate: Gate) => Promise<T>): Promise<T> {
  const gate = openGate(directories);
  return use(gate).finally(() => gate.close());
}

async function say(gate: Gate, text: string): Promise<Record<string, unknown>> {
  return resultOf(await gate.call({ tool: "Exec", args: { argv: ["/bin/echo", text] } }));
}

test("many calls at once all end right, each with its own output, and all are in the record", async () => {
  const count = runs(200, 80);
  await withGate(async (gate) => {
    const results = await Promise.all(Array.from({ length: count }, (_, index) => say(gate, `call ${index}`)));
    for (const [index, result] of results.entries()) {
      assert.equal(result["stdout"], `call ${index}\n`);
      assert.equal(result["exit_code"], 0);
    }
    const finished = [...gate.journal.list({ session: gate.session, event: "tool.call.finished" })];
    assert.equal(finished.length, count);
    assert.equal(gate.journal.verify().ok, true);
  });
});

// Node learns of a box's end before it reads its last word if it was busy when the end of another was told.
test("however calls end, no timer of theirs keeps the process alive", async () => {
  const beBusy = () => {
    for (const until = performance.now() + 400; performance.now() < until;);
  };
  await withGate(async (gate) => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const begun = Promise.withResolvers<void>();
    const argv = ["/bin/sh", "-c", "echo begun; exec sleep 0.6"];
    const last = gate.call({ tool: "Exec", args: { argv } }, { onOutput: () => begun.resolve() });
    await begun.promise;
    const first = gate.call({ tool: "Exec", args: { argv: ["/bin/echo", "first"] } }, { onOutput: beBusy });
    await new Promise((resolve) => setTimeout(resolve, 10));
    beBusy();
    await Promise.all([first, last].map(async (reply) => resultOf(await reply)));
    assert.equal(timers(), before);
  });
});

const script = fileURLToPath(new URL("../../bench/output-memory.ts", import.meta.url));

function memoryOf(how: "gate" | "collect", bytes: number): { growthMb: number; kept: number } {
  const argv = ["/usr/bin/head", "-c", String(bytes), "/dev/zero"];
  const ended = spawnSync(process.execPath, [script, how, ...argv], { encoding: "utf8" });
  assert.equal(ended.status, 0, ended.stderr);
  return JSON.parse(ended.stdout) as { growthMb: number; kept: number };
}

test("hundreds of MB printed under a cap of 256 KB: the gate's memory grows by less than 60 MB", () => {
  const { growthMb, kept } = memoryOf("gate", runs(500_000_000, 200_000_000));
  assert.ok(growthMb < 60, `it grew by ${growthMb} MB`);
  assert.ok(kept > 200_000 && kept <= 262_144, `${kept} bytes were kept`);
});

test("control: a hundred MB that are kept are seen by the same measure", () => {
  const { growthMb, kept } = memoryOf("collect", 100_000_000);
  assert.equal(kept, 100_000_000);
  assert.ok(growthMb > 60, `it grew by ${growthMb} MB only`);
});

test("after many calls there are no more descriptors, children or pipes than after one batch of them", async () => {
  await withGate(async (gate) => {
    const batch = () => Promise.all(["a", "b", "c", "d", "e"].map((text) => say(gate, text)));
    await batch();
    const before = { descriptors: openDescriptors(), pipes: pipeCount() };
    assert.ok(before.pipes > 0, "there are pipes to count");
    for (let round = 0; round < runs(60, 16); round++) await batch();
    assert.deepEqual({ descriptors: openDescriptors(), pipes: pipeCount() }, before);
    assert.deepEqual(startedProcesses(), []);
    assert.deepEqual(controlGroups(), []);
  });
  assert.equal(pipeCount(), 0); // a closed gate takes its pipes with it
});

test("control: children and control groups are seen by the same measure while they run", async () => {
  await withGate(async (gate) => {
    const running = gate.call({ tool: "Exec", args: { argv: ["/bin/sleep", "4"] } }); // a look at all processes takes long on a busy machine
    await until("one process is seen", isOneStarted);
    assert.equal(controlGroups().length > 0, gate.sandbox.probe.cgroupHome !== null);
    resultOf(await running);
    assert.deepEqual(startedProcesses(), []);
  });
});

/** The forker is not meant; until it has become its own program it looks like any other. */
function isOneStarted(): boolean {
  return forkers().length === 1 && startedProcesses().length === 1;
}

function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

function pipeCount(): number {
  const rooms = ["/dev/shm", `${directories.state}/box`].flatMap((base) =>
    readdirSync(base)
      .filter((name) => name.startsWith(`sallyport-${process.pid}.`))
      .map((name) => `${base}/${name}`),
  );
  return rooms.flatMap((room) => readdirSync(room)).filter((name) => name.startsWith("pipe-")).length;
}

/** Those of this process that are still there, wherever groups are mounted. */
function controlGroups(): string[] {
  const roots = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(" ")[4] as string);
  return roots
    .flatMap((root) => groupsBelow(root))
    .filter((path) => basename(path).startsWith(`sallyport-${process.pid}.`));
}

/** Other tests make and remove groups meanwhile. */
function groupsBelow(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.flatMap(({ name }) => [join(directory, name), ...groupsBelow(join(directory, name))]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
