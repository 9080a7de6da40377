// Two hundred calls at once: each prints its own number, and each reply must hold it.

import { bareSpawn } from "./bare-spawn.ts";
import { callExec, enterRoom } from "./box-room.ts";
import { sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const COUNT = 200;
const numbers = Array.from({ length: COUNT }, (_, index) => String(index));

export const atOnceTopic: Topic = {
  name: "at-once",
  async measure() {
    const room = enterRoom();
    try {
      const gate = room.openGate(room.makeDirectory("project"), []);
      let fewestRight = COUNT;
      const calls = async () => {
        const printed = await Promise.all(numbers.map((number) => callExec(gate, ["/bin/echo", number]).catch(String)));
        fewestRight = Math.min(fewestRight, printed.filter((text, index) => text === `${index}\n`).length);
      };
      const spawns = async () => void (await Promise.all(numbers.map((number) => bareSpawn("/bin/echo", [number]))));
      const rows = await sample(
        [
          { name: `${COUNT} bare spawns`, run: spawns },
          { name: `${COUNT} gate.call(Exec)`, run: calls },
        ],
        { rounds: 5, warmUpRounds: 1, budgetMs: 25_000 },
      );
      return {
        tables: [{ title: `${COUNT} at once`, base: `${COUNT} bare spawns`, rows }],
        goals: [
          {
            what: `right replies of ${COUNT}, in the worst round`,
            measured: fewestRight,
            bound: COUNT,
            direction: "at least",
            unit: "right",
          },
        ],
        remarks: [],
      };
    } finally {
      room.leave();
    }
  },
};
