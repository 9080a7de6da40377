// A granted tree of 20,000 files: what `hide` globs cost at the first call and later, and what it costs to guard
// a tree that may be changed.

import { mkdirSync, writeFileSync } from "node:fs";
import { callExec, enterRoom, type GrantLine } from "./box-room.ts";
import { sample, summarize } from "./measure.ts";
import type { Topic } from "./topic.ts";

const DIRECTORIES = 2_000;
const FILES_EACH = 10;
const argv = ["/bin/true"];
const hide = [".env*", "*.pem"];
const plain = "to read";

export const treeTopic: Topic = {
  name: "tree",
  async measure() {
    const room = enterRoom();
    try {
      const tree = room.makeDirectory("tree");
      plant(tree);
      const small = room.makeDirectory("small");
      const lines: readonly [string, GrantLine][] = [
        ["an empty directory to read", { path: small, mode: "r" }],
        [plain, { path: tree, mode: "r" }],
        [`to read, hiding ${hide.join(" ")}`, { path: tree, mode: "r", hide }],
        ["to change", { path: tree, mode: "rw" }],
        [`to change, hiding ${hide.join(" ")}`, { path: tree, mode: "rw", hide }],
      ];
      const gates = lines.map(([name, grant], index) => ({
        name,
        gate: room.openGate(tree, [grant], `state-${index}`),
      }));
      const first = [];
      for (const { name, gate } of gates) {
        const startedMs = performance.now();
        await callExec(gate, argv);
        first.push(summarize(name, [performance.now() - startedMs]));
      }
      const later = await sample(
        gates.map(({ name, gate }) => ({ name, run: async () => void (await callExec(gate, argv)) })),
        { rounds: 60, warmUpRounds: 2, budgetMs: 15_000 },
      );
      const files = `${DIRECTORIES * FILES_EACH} files in ${DIRECTORIES} directories`;
      return {
        tables: [
          { title: `${files}: the first call of a gate`, base: plain, rows: first },
          { title: `${files}: later calls`, base: plain, rows: later },
        ],
        goals: [],
        remarks: [],
      };
    } finally {
      room.leave();
    }
  },
};

/** Directories in directories, a few files to hide among them. */
function plant(root: string): void {
  for (let index = 0; index < DIRECTORIES; index++) {
    const directory = `${root}/part-${index % 40}/group-${index % 400}/d-${index}`;
    mkdirSync(directory, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) writeFileSync(`${directory}/file-${file}.txt`, "");
    if (index % 400 === 0) writeFileSync(`${directory}/.env.local`, "A=1\n");
  }
}
