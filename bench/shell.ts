// What it costs to judge a command, against starting it.

import { enterRoom } from "./box-room.ts";
import { ratioOf, sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const command = "rg -n 'TODO|FIXME' src --glob '*.ts' --max-count 3";

export const shellTopic: Topic = {
  name: "shell",
  async measure() {
    const room = enterRoom();
    try {
      const project = room.makeDirectory("project");
      room.makeDirectory("project/src");
      const gate = room.openGate(project, [{ path: project, mode: "r" }]);
      const request = { tool: "Shell", args: { command } };
      const rows = await sample(
        [
          { name: "judge a command", run: async () => void (await gate.plan(request)) },
          { name: "judge, start and record it", run: async () => void (await gate.call(request)) },
        ],
        { rounds: 200, budgetMs: 8_000 },
      );
      return {
        tables: [{ title: "Shell: judging against starting", base: "judge, start and record it", rows }],
        goals: [
          {
            what: "judging a command, of starting it",
            measured: ratioOf(rows, "judge a command", "judge, start and record it"),
            bound: 0.05,
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
