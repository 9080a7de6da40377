// Half a gigabyte of output under a cap of 256 KB: what the gate's memory grows by, and how fast it goes through.
// Memory is measured in a process of its own (output-memory.ts), where nothing else has run.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { callExec, enterRoom } from "./box-room.ts";
import { sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const PRINTED_MB = 500;
const argv = ["/usr/bin/head", "-c", String(PRINTED_MB * 1_000_000), "/dev/zero"];

export const outputTopic: Topic = {
  name: "output",
  async measure() {
    const room = enterRoom();
    try {
      const project = room.makeDirectory("project");
      const gate = room.openGate(project, []);
      const rows = await sample(
        [
          { name: "bare spawn, output thrown away", run: () => throwAway() },
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

function throwAway(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0] as string, argv.slice(1), { stdio: ["ignore", "pipe", "ignore"], env: {} });
    child.stdout?.on("data", () => undefined);
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

function memoryGrowthMb(): number {
  const script = fileURLToPath(new URL("output-memory.ts", import.meta.url));
  const ended = spawnSync(process.execPath, [script, "gate", ...argv], { encoding: "utf8" });
  if (ended.status !== 0) throw new Error(`${script}: ${ended.stderr}`);
  return (JSON.parse(ended.stdout) as { growthMb: number }).growthMb;
}
