// A workspace in one file of a browser's private file system, against a file per file.

import { ratioOf, sample } from "./measure.ts";
import { openStorage } from "./opfs.ts";
import type { TopicReport } from "./topic.ts";

const FILES = 1_000;
const ROUNDS = 5;

export async function measureStorage(): Promise<TopicReport> {
  const storage = await openStorage(FILES);
  if (typeof storage === "string") return { tables: [], goals: [], remarks: [`no storage was measured: ${storage}`] };
  const pack = { name: "one pack", run: () => storage.write("pack") };
  const each = { name: "a change a file, in a pack", run: () => storage.write("changes") };
  const tree = { name: "a file per file", run: () => storage.write("tree") };
  const atOnce = { name: "a file per file, 50 at once", run: () => storage.write("tree at once") };
  const rows = await sample([pack, each, tree, atOnce], { rounds: ROUNDS, warmUpRounds: 1 });
  await storage.close();
  return {
    tables: [
      { title: `${FILES} files of 2 KB written into the private file system of Chromium`, base: pack.name, rows },
    ],
    goals: [
      {
        what: `${FILES} files written a file per file, of in a pack`,
        measured: ratioOf(rows, tree.name, pack.name),
        bound: 20,
        direction: "at least",
        unit: "×",
      },
    ],
    remarks: ["the pack is flushed once for each change, the files of the tree are never"],
  };
}
