// What a long record costs to look at: its numbers after one more entry, and a search that finds nothing. Both are done
// where calls are served: what counts is also for how long everything else waits.

import type { EntryDraft } from "../src/audit/entry.ts";
import type { Journal } from "../src/audit/journal.ts";
import { openJournal } from "../src/store/sqlite.ts";
import { enterRoom } from "./box-room.ts";
import { ratioOf, sample, type Summary, summarize } from "./measure.ts";
import type { Topic } from "./topic.ts";

const ENTRIES = 100_000;
const SEARCHES = 15;

/** Three a call, as a gate writes them. */
function draftOf(index: number): EntryDraft {
  const call = Math.floor(index / 3);
  const common = {
    session: `session-${call % 20}`,
    agent: "default",
    call_id: `00000000-0000-4000-8000-${String(call).padStart(12, "0")}`,
    tool: ["Exec", "Bash", "Shell", "Git"][call % 4] as string,
  };
  const argv = ["/usr/bin/node", "scripts/build.js", `--part=${call}`];
  if (index % 3 === 0) return { ...common, event: "tool.call.received", args: { argv } };
  if (index % 3 === 1) {
    const args = { argv, program: "/usr/bin/node", cwd: "/tmp", env: { PATH: "/usr/bin:/bin" }, timeout_s: 60 };
    const because = ["run /usr/bin/node: granted"];
    return { ...common, event: "tool.call.dispatched", args, decision: "allow", because };
  }
  const outcome = { exit_code: 0, signal: null, duration_s: ((call * 7_919) % 4_000) / 1_000, timed_out: false };
  return { ...common, event: "tool.call.finished", outcome };
}

const nowhere = { text: "stands nowhere" };

async function searchInSlices(journal: Journal): Promise<void> {
  for await (const { seq } of journal.search(nowhere)) throw new Error(`found in entry ${seq}`);
}

/** For how long, at most, nothing else had its turn. */
async function longestWait(work: () => Promise<void>): Promise<number> {
  let [longest, last, isOver] = [0, performance.now(), false];
  const turn = () => {
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  turn();
  return longest;
}

async function waits(name: string, work: () => Promise<void>): Promise<Summary> {
  const times: number[] = [];
  for (let round = 0; round < SEARCHES; round += 1) times.push(await longestWait(work));
  return summarize(name, times);
}

export const recordReadTopic: Topic = {
  name: "record-read",
  async measure() {
    const room = enterRoom();
    const places = { stateDirectory: room.statePath(), keyDirectory: room.configHome };
    const journal = openJournal(places);
    try {
      for (let index = 0; index < ENTRIES; index += 1) journal.append(draftOf(index));
      let entries = journal.stats().entries;
      const numbers = [`all ${ENTRIES} entries counted`, "after one more entry"] as const;
      let fresh = openJournal(places);
      const counted = await sample(
        [
          {
            name: numbers[0],
            prepare() {
              fresh.close();
              fresh = openJournal(places);
            },
            run() {
              if (fresh.stats().entries < ENTRIES) throw new Error("not all were counted");
            },
          },
          {
            name: numbers[1],
            prepare: () => void journal.append(draftOf((entries += 1))),
            run() {
              if (journal.stats().entries !== entries) throw new Error("the new entry was not counted");
            },
          },
        ],
        { rounds: 20, warmUpRounds: 2, budgetMs: 15_000 },
      );
      fresh.close();

      const atOnce = async () => {
        for (const { seq } of journal.list(nowhere)) throw new Error(`found in entry ${seq}`);
      };
      const inSlices = () => searchInSlices(journal);
      const ways = ["at one go", "in slices"] as const;
      const searched = await sample(
        [
          { name: ways[0], run: atOnce },
          { name: ways[1], run: inSlices },
        ],
        { rounds: SEARCHES, warmUpRounds: 2, budgetMs: 15_000 },
      );
      const waited = [await waits(ways[0], atOnce), await waits(ways[1], inSlices)];
      return {
        tables: [
          { title: "the record in numbers", base: numbers[1], rows: counted },
          { title: `a search through ${ENTRIES} entries that finds nothing`, base: ways[0], rows: searched },
          { title: "for how long everything else waits meanwhile, at most", base: ways[0], rows: waited },
        ],
        goals: [
          {
            what: "counting the whole record, of its numbers after one more entry",
            measured: ratioOf(counted, numbers[0], numbers[1]),
            bound: 50,
            direction: "at least",
            unit: "×",
          },
          {
            what: "a search in slices, of one at one go",
            measured: ratioOf(searched, ways[1], ways[0]),
            bound: 1.5,
            direction: "at most",
            unit: "×",
          },
          {
            what: "the longest wait beside a search in slices, of one at one go",
            measured: ratioOf(waited, ways[1], ways[0]),
            bound: 0.1,
            direction: "at most",
            unit: "×",
          },
        ],
        remarks: [],
      };
    } finally {
      journal.close();
      room.leave();
    }
  },
};
