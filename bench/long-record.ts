// A long record as a person looks at it: the first page, filters and a search, with 1,000,000 entries and with 10,000; and what the indexes
// for that cost each new entry.

import type { EntryFilter } from "../src/audit/journal.ts";
import type { Journal } from "../src/audit/journal.ts";
import { journalPath, openDatabase, openJournal } from "../src/store/sqlite.ts";
import { openLongRecord, rare } from "../test/fixtures/long-record.ts";
import { enterRoom } from "./box-room.ts";
import { ratioOf, sample } from "./measure.ts";
import type { Goal, Table, Topic } from "./topic.ts";

const lengths = { short: 10_000, long: 1_000_000 } as const;
const ofScreen = 50;

const looks: readonly (readonly [what: string, filter: EntryFilter])[] = [
  ["the first page", {}],
  ["one session's", { session: rare.session }],
  ["one agent's", { agent: rare.agent }],
  ["one tool's", { tool: rare.tool }],
  ["one event's", { event: rare.event }],
  ["a common event of a rare agent", { event: "tool.call.finished", agent: rare.agent }],
  ["the first that have a text", { text: "part=3" }],
];

async function look(journal: Journal, filter: EntryFilter): Promise<void> {
  let left = ofScreen;
  for await (const _ of journal.search({ ...filter, limit: ofScreen })) left -= 1;
  if (left < 0) throw new Error("more than a screen");
}

export const longRecordTopic: Topic = {
  name: "long-record",
  async measure() {
    const room = enterRoom();
    const at = (name: string) => ({ stateDirectory: `${room.statePath()}-${name}`, keyDirectory: room.configHome });
    const short = openLongRecord(at("short"), lengths.short);
    const long = openLongRecord(at("long"), lengths.long);
    const plain = openJournal(at("plain"));
    const indexed = openJournal(at("indexed"));
    const database = openDatabase(journalPath(at("plain").stateDirectory), "");
    for (const name of ["session", "tool", "event", "agent"]) database.exec(`DROP INDEX entries_by_${name}`);
    database.close();
    try {
      const [tables, goals]: [Table[], Goal[]] = [[], []];
      for (const [what, filter] of looks) {
        const [base, name] = [`${lengths.short} entries`, `${lengths.long} entries`];
        const rows = await sample(
          [
            { name: base, run: () => look(short, filter) },
            { name, run: () => look(long, filter) },
          ],
          { rounds: 60, warmUpRounds: 5, budgetMs: 4_000 },
        );
        tables.push({ title: what, base, rows });
        goals.push({
          what: `${what}: in ${lengths.long} entries, of ${lengths.short}`,
          measured: ratioOf(rows, name, base),
          bound: 3,
          direction: "at most",
          unit: "×",
        });
      }
      const draft = {
        ...rare,
        call_id: "00000000-0000-4000-8000-000000000001",
        args: { argv: ["/bin/true"] },
      } as const;
      for (const { what, durable, bound } of [
        { what: "an entry", durable: false, bound: 1.5 },
        { what: "an entry, forced to the disk", durable: true, bound: 1.1 },
      ]) {
        const [base, name] = [`${what}, without the indexes`, what];
        const rows = await sample(
          [
            { name: base, run: () => void plain.append(draft, { durable }) },
            { name, run: () => void indexed.append(draft, { durable }) },
          ],
          { rounds: 2_000, warmUpRounds: 100, budgetMs: 6_000 },
        );
        tables.push({ title: `what the indexes cost ${what}`, base, rows });
        const measured = ratioOf(rows, name, base);
        goals.push({
          what: `${what}, of one without the indexes for filters`,
          measured,
          bound,
          direction: "at most",
          unit: "×",
        });
      }
      const remarks = [
        "A text that stands nowhere is looked for in every entry, in slices: that grows with the record.",
      ];
      return { tables, goals, remarks };
    } finally {
      for (const journal of [short, long, plain, indexed]) journal.close();
      room.leave();
    }
  },
};
