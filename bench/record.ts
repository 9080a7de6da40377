// What the record costs, and whether it costs more when it is long.

import { bareSpawn } from "./bare-spawn.ts";
import { callExec, enterRoom } from "./box-room.ts";
import { ratioOf, sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const ENTRIES = 100_000;
const argv = ["/bin/true"];
const draft = {
  event: "tool.call.dispatched",
  session: "bench",
  agent: "default",
  call_id: "00000000-0000-4000-8000-000000000000",
  tool: "Exec",
  digest: "0".repeat(64),
  args: { argv, program: "/usr/bin/true", cwd: "/tmp", env: { PATH: "/usr/bin:/bin" }, timeout_s: 60 },
  decision: "allow",
  because: ["run /usr/bin/true: granted"],
} as const;

export const recordTopic: Topic = {
  name: "record",
  async measure() {
    const room = enterRoom();
    try {
      const project = room.makeDirectory("project");
      const short = room.openGate(project, [], "short");
      const long = room.openGate(project, [], "long");
      for (let entry = 0; entry < ENTRIES; entry++) long.journal.append(draft);
      await bareSpawn("/bin/sync", []); // or the disk would still be busy with them while we measure

      const calls = await sample(
        [
          { name: "gate.call(Exec), short log", run: async () => void (await callExec(short, argv)) },
          { name: `gate.call(Exec), after ${ENTRIES} entries`, run: async () => void (await callExec(long, argv)) },
        ],
        { rounds: 150, budgetMs: 8_000 },
      );
      const appends = await sample(
        [
          { name: "append", run: () => void short.journal.append(draft) },
          { name: `append, after ${ENTRIES} entries`, run: () => void long.journal.append(draft) },
          { name: "append, forced to the disk", run: () => void short.journal.append(draft, { durable: true }) },
          { name: `the same, after ${ENTRIES} entries`, run: () => void long.journal.append(draft, { durable: true }) },
        ],
        { rounds: 500, budgetMs: 5_000 },
      );
      const [shortCall, longCall] = calls.map((row) => row.name) as [string, string];
      return {
        tables: [
          { title: "a call and the length of the log", base: shortCall, rows: calls },
          { title: "one entry", base: "append", rows: appends },
        ],
        goals: [
          {
            what: `a call after ${ENTRIES} entries, of one with a short log`,
            measured: ratioOf(calls, longCall, shortCall),
            bound: 1.1,
            direction: "at most",
            unit: "×",
          },
        ],
        remarks: [],
      };
    } finally {
      room.leave();
    }
  },
};
