// Half a gigabyte of output under a cap of 256 KB: what the gate's memory grows by, and how fast it goes through.
// Memory is measured in a process of its own (output-memory.ts), where nothing else has run.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bareSpawn } from "./bare-spawn.ts";
import { callExec, enterRoom } from "./box-room.ts";
import { sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const PRINTED_MB = 500;
const program = "/usr/bin/head";
const args = ["-c", String(PRINTED_MB * 1_000_000), "/dev/zero"];
const argv = [program, ...args];

export const outputTopic: Topic = {
  name: "output",
  async measure() {
    const room = enterRoom();
    try {
      const project = room.makeDirectory("project");
      const gate = room.openGate(project, []);
      const rows = await sample(
        [
          {
            name: "bare spawn, output thrown away",
            run: async () => (await bareSpawn(program, args, { throwsAway: true })).tookMs,
          },
          { name: "gate.call(Exec), 256 KB kept", run: async () => void (await callExec(gate, argv)) },
        ],
        { rounds: 7, warmUpRounds: 1, budgetMs: 15_000 },
      );
      const title = `a program that prints ${PRINTED_MB} MB`;
      const growth = memoryGrowthMb();
      return {
        tables: [{ title, base: "bare spawn, output thrown away", rows }],
        goals: [
          {
            what: `memory growth while ${PRINTED_MB} MB are printed`,
            measured: growth,
            bound: 60,
            direction: "at most",
            unit: "MB",
          },
        ],
        remarks: [],
      };
    } finally {
      room.leave();
    }
  },
};

function memoryGrowthMb(): number {
  const script = fileURLToPath(new URL("output-memory.ts", import.meta.url));
  const ended = spawnSync(process.execPath, [script, "gate", ...argv], { encoding: "utf8" });
  if (ended.status !== 0) throw new Error(`${script}: ${ended.stderr}`);
  return (JSON.parse(ended.stdout) as { growthMb: number }).growthMb;
}
