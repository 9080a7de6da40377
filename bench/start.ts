// What it costs to start /bin/true: bare, with bubblewrap by hand, through the whole gate, with another library.

import { bareSpawn } from "./bare-spawn.ts";
import { callExec, enterRoom } from "./box-room.ts";
import { bubblewrapByHand } from "./by-hand.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
import { openSandboxRuntime } from "./sandbox-runtime.ts";
import type { Goal, Topic } from "./topic.ts";

const argv = ["/bin/true"];
const bare = "bare spawn";
const byHand = "bubblewrap by hand, same profile";
const wholeGate = "gate.call(Exec), record included";

export const startTopic: Topic = {
  name: "start",
  async measure() {
    const room = enterRoom();
    const project = room.makeDirectory("project");
    const other = await openSandboxRuntime();
    try {
      const gate = room.openGate(project, [{ path: project, mode: "r" }]);
      const runByHand = await bubblewrapByHand(gate, room.directory, argv);
      const candidates: Candidate[] = [
        { name: bare, run: async () => (await bareSpawn("/bin/true", [])).tookMs },
        { name: byHand, run: async () => (await runByHand()).tookMs },
        { name: wholeGate, run: async () => void (await callExec(gate, argv)) },
      ];
      const library = typeof other === "string" ? null : `@anthropic-ai/sandbox-runtime ${other.version}`;
      if (library !== null) candidates.push({ name: library, run: async () => void (await runOther()) });
      const runOther = async () => (typeof other === "string" ? "" : other.run("/bin/true"));

      const rows = await sample(candidates, { rounds: 300, budgetMs: 25_000 });
      const goals: Goal[] = [
        {
          what: "the whole gate, of bubblewrap by hand",
          measured: ratioOf(rows, wholeGate, byHand),
          bound: 1.15,
          direction: "at most",
          unit: "×",
        },
      ];
      if (library !== null) {
        const measured = ratioOf(rows, library, wholeGate);
        goals.push({ what: "that library, of the whole gate", measured, bound: 5, direction: "at least", unit: "×" });
      }
      const title = "start /bin/true once (/usr and an empty project to read, no network)";
      return { tables: [{ title, base: bare, rows }], goals, remarks: typeof other === "string" ? [other] : [] };
    } finally {
      if (typeof other !== "string") await other.close();
      room.leave();
    }
  },
};
