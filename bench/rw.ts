// What it costs that a path granted `rw` is written through a layer: against the same call with the path granted `r`, and against a program
// that writes the same files itself.

import { mkdirSync, rmSync } from "node:fs";
import type { Gate } from "../src/index.ts";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, type Room } from "./box-room.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const MANY = 1_000;
const read = "Exec, r";
const empty = "Exec, rw";
const changed = "Exec, rw, 1 file written";
const directly = "bash by itself";
const landed = "Exec, rw, with the landing";
const writeMany = `cd "$0"; for i in {1..${MANY}}; do echo $i > $i; done`;

export const rwTopic: Topic = {
  name: "rw",
  async measure() {
    const room = enterRoom();
    try {
      const small = await sample(
        [
          calling(room, { name: read, mode: "r", argv: ["/bin/true"] }),
          calling(room, { name: empty, mode: "rw", argv: ["/bin/true"] }),
          calling(room, { name: changed, mode: "rw", argv: ["/bin/bash", "-c", 'echo $RANDOM > "$0/f"'] }),
        ],
        { rounds: 200, budgetMs: 40_000 },
      );
      const plain = `${room.directory}/plain`;
      const many = await sample(
        [
          {
            name: directly,
            prepare: () => makeEmpty(plain),
            run: async () => (await bareSpawn("/bin/bash", ["-c", writeMany, plain])).tookMs,
          },
          calling(room, { name: landed, mode: "rw", argv: ["/bin/bash", "-c", writeMany] }),
        ],
        { rounds: 30, warmUpRounds: 2, budgetMs: 40_000 },
      );
      return {
        tables: [
          { title: "a call on an empty directory", base: read, rows: small },
          { title: `${MANY} files written`, base: directly, rows: many },
        ],
        goals: [
          {
            what: "a call that may change an empty directory, of one that may read it",
            measured: ratioOf(small, empty, read),
            bound: 1.15,
            direction: "at most",
            unit: "×",
          },
          {
            what: `a call that writes ${MANY} files, of writing them directly`,
            measured: ratioOf(many, landed, directly),
            bound: 2,
            direction: "at most",
            unit: "×",
          },
        ],
        remarks: [`bash writes ${MANY} files to the same disk, and nothing waits for that disk in either row`],
      };
    } finally {
      room.leave();
    }
  },
};

interface Called {
  readonly name: string;
  readonly mode: "r" | "rw";
  /** The directory follows it. */
  readonly argv: readonly string[];
}

let serial = 0;

function calling(room: Room, { name, mode, argv }: Called): Candidate {
  const path = `${room.directory}/rw-${(serial += 1)}`;
  mkdirSync(path);
  const gate: Gate = room.openGate(
    room.makeDirectory(`rw-workspace-${serial}`),
    [{ path, mode }],
    `rw-state-${serial}`,
  );
  return {
    name,
    prepare: () => makeEmpty(path),
    async run() {
      const reply = await gate.call({ tool: "Exec", args: { argv: [...argv, path] } });
      if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(JSON.stringify(reply).slice(0, 2_000));
    },
  };
}

function makeEmpty(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
}
