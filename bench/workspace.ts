// The same script on workspaces of different sizes: that a call costs what it changes, and not what is there. Against bash
// started plainly in a directory that holds the same files. And what a workspace takes of memory for each byte in it.

import { mkdirSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Gate } from "../src/index.ts";
import { createMemoryWorkspace } from "../src/workspace/memory.ts";
import { parseWorkspacePath } from "../src/workspace/path.ts";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, type Room } from "./box-room.ts";
import { ratioOf, sample } from "./measure.ts";
import type { Goal, Table, Topic } from "./topic.ts";

const SIZES = [10, 1_000, 20_000];
const FILE_BYTES = 1_000;
const MANY = 1_000;

const scripts: readonly [name: string, script: string][] = [
  ["true", "true"],
  ["1 file changed", "echo $RANDOM $RANDOM > changed.txt"],
  [`${MANY} files changed`, `mkdir -p changed; for i in {1..${MANY}}; do echo $RANDOM > changed/$i; done`],
];

export const workspaceTopic: Topic = {
  name: "workspace",
  async measure() {
    const room = enterRoom();
    try {
      const memory = await memoryRemark(); // before there is anything to collect
      const places = [];
      for (const size of SIZES) places.push(await fill(room, size));
      const tables: Table[] = [];
      const goals: Goal[] = [];
      for (const [name, script] of scripts) {
        const base = `spawn bash, ${SIZES[0]} files`;
        const rows = await sample(
          places.flatMap(({ size, gate, directory }) => [
            {
              name: `spawn bash, ${size} files`,
              run: async () => (await bareSpawn("/bin/bash", ["-c", script], { cwd: directory })).tookMs,
            },
            { name: `Bash, ${size} files`, run: () => callBash(gate, script) },
          ]),
          { rounds: name === "true" ? 80 : 40, warmUpRounds: 2, budgetMs: 15_000 },
        );
        tables.push({ title: `Bash in a workspace in memory: ${name}`, base, rows });
        goals.push({
          what: `${name}: ${SIZES.at(-1)} files, of ${SIZES[0]}`,
          measured: ratioOf(rows, `Bash, ${SIZES.at(-1)} files`, `Bash, ${SIZES[0]} files`),
          bound: 1.5,
          direction: "at most",
          unit: "×",
        });
      }
      return {
        tables,
        goals,
        remarks: [memory, "the plain directory is on the disk of the clone; the workspace is in memory"],
      };
    } finally {
      room.leave();
    }
  },
};

interface Filled {
  readonly size: number;
  readonly gate: Gate;
  readonly directory: string;
}

const pathOf = (index: number): string => `part-${index % 50}/file-${index}.txt`;

async function fill(room: Room, size: number): Promise<Filled> {
  const directory = room.makeDirectory(`files-${size}`);
  const gate = room.openGate(directory, [], `state-${size}`);
  for (let index = 0; index < size; index++) {
    const content = String(index).padEnd(FILE_BYTES, "x");
    mkdirSync(`${directory}/part-${index % 50}`, { recursive: true });
    writeFileSync(`${directory}/${pathOf(index)}`, content);
  }
  // By one script and not by 20,000 calls: each of those is three entries of the record.
  await callBash(
    gate,
    `mkdir -p part-{0..49}; for ((i = 0; i < ${size}; i++)); do printf '%-${FILE_BYTES}d' $i > part-$((i % 50))/file-$i.txt; done`,
  );
  return { size, gate, directory };
}

async function callBash(gate: Gate, script: string): Promise<void> {
  const reply = await gate.call({ tool: "Bash", args: { script, timeout_s: 120 } });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(`the call went wrong: ${JSON.stringify(reply)}`);
}

/** Of the gate's own process: what programs see of it is the kernel's, and holds each byte once more. */
async function memoryRemark(): Promise<string> {
  const count = 20_000;
  const before = await held();
  const workspace = createMemoryWorkspace();
  for (let index = 0; index < count; index++) {
    const path = parseWorkspacePath(pathOf(index));
    if (!path.ok) throw new Error(path.failure.message);
    const bytes = new Uint8Array(FILE_BYTES).fill(index);
    await workspace.apply([{ operation: "write", path: path.value, bytes, executable: false }]);
  }
  const perByte = ((await held()) - before) / (count * FILE_BYTES);
  await workspace.close();
  return (
    `a workspace of ${count} files of ${FILE_BYTES} bytes takes ${perByte.toFixed(2)} bytes of memory for each byte in it, ` +
    "its list included; laid out for programs, one more each in a tmpfs"
  );
}

/** What is in use, once what is not has been collected. */
async function held(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve)); // buffers go a turn later
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
