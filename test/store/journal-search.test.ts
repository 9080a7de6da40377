// A search finds what a list finds, and everything else goes on meanwhile.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { Entry } from "../../src/audit/entry.ts";
import { journalPath, openJournal } from "../../src/store/sqlite.ts";
import { turnsTaken } from "./turns-taken.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-search-"));
const options = { stateDirectory: join(directory, "state"), keyDirectory: join(directory, "config") };
const journal = openJournal(options);
const ENTRIES = 1_200;
for (let index = 1; index <= ENTRIES; index += 1)
  journal.append({
    event: index % 2 === 0 ? "tool.call.denied" : "tool.call.received",
    session: `s${index % 7}`,
    agent: index === 1 ? "first" : "later",
    tool: index % 3 === 0 ? "Bash" : "Exec",
    args: { argv: ["/bin/echo", `word${index}`, index % 100 === 0 ? "x".repeat(9_000) : ""] },
  });
after(() => {
  journal.close();
  rmSync(directory, { recursive: true, force: true });
});

type Filter = Parameters<typeof journal.search>[0];

async function seqsOf(found: AsyncIterable<Entry>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of found) seqs.push(seq);
  return seqs;
}
const listed = (filter: Filter) => [...journal.list(filter)].map(({ seq }) => seq);

const seq = fc.integer({ min: 1, max: ENTRIES + 50 });
const filter = fc.record(
  {
    event: fc.constantFrom("tool.call.denied" as const, "policy.changed" as const),
    session: fc.constantFrom("s1", "s6", "none"),
    agent: fc.constantFrom("first", "later", "none"),
    tool: fc.constantFrom("Bash", "Exec", "none"),
    text: fc.oneof(
      seq.map((number) => `WORD${number}`),
      fc.constantFrom("", "xxx", "none"),
    ),
    before: seq,
    after: seq,
    limit: fc.integer({ min: 1, max: 300 }),
  },
  { requiredKeys: [] },
);

test("it finds what a list finds, in the same order", async () => {
  await fc.assert(
    fc.asyncProperty(filter, async (given) => {
      assert.deepEqual(await seqsOf(journal.search(given)), listed(given));
    }),
  );
  assert.equal((await seqsOf(journal.search())).length, ENTRIES);
});

test("also where numbers are missing, or far apart", async () => {
  const other = mkdtempSync(join(tmpdir(), "sallyport-search-"));
  const places = { stateDirectory: join(other, "state"), keyDirectory: join(other, "config") };
  const spoilt = openJournal(places);
  for (let index = 1; index <= 300; index += 1) spoilt.append({ event: "policy.changed" });
  const database = new DatabaseSync(journalPath(places.stateDirectory));
  database.exec(`DELETE FROM entries WHERE seq BETWEEN 20 AND 200;
    UPDATE entries SET seq = seq - 9000000000000000 WHERE seq < 5; UPDATE entries SET seq = seq + 9000000000000000 WHERE seq > 290`);
  assert.deepEqual(
    await seqsOf(spoilt.search()),
    [...spoilt.list()].map((entry) => entry.seq),
  );
  assert.equal((await seqsOf(spoilt.search())).length, 300 - 181);
  for (const one of [database, spoilt]) one.close();
  rmSync(other, { recursive: true, force: true });
});

test("however little it finds, everything else has its turns; with a list it has none", async () => {
  for (const given of [{ text: "none" }, { agent: "later", until: "2000-01-01" }, { until: "2000-01-01" }]) {
    const turns = await turnsTaken(() => seqsOf(journal.search(given)));
    assert.ok(turns >= 5, `${turns} turns for ${JSON.stringify(given)}`);
    assert.equal(await turnsTaken(async () => listed(given)), 0, "control");
  }
});

test("it ends when it is told to, before it comes to the oldest entry", async () => {
  const oldest = { text: "first" }; // its agent: an index would lead there at once
  assert.deepEqual(await seqsOf(journal.search(oldest)), [1], "control: it is there");
  const told = new AbortController();
  setImmediate(() => told.abort());
  assert.deepEqual(await seqsOf(journal.search(oldest, told.signal)), []);
  assert.deepEqual(await seqsOf(journal.search({}, AbortSignal.abort())), []);
});

test("a record of an earlier version gets the indexes, and stays whole", async () => {
  const other = mkdtempSync(join(tmpdir(), "sallyport-search-"));
  const places = { stateDirectory: join(other, "state"), keyDirectory: join(other, "config") };
  const indexesOf = (database: DatabaseSync) =>
    database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
      .all()
      .map(({ name }) => name);
  const first = openJournal(places);
  for (let index = 0; index < 50; index += 1) first.append({ event: "policy.changed", agent: `a${index % 5}` });
  first.close();
  const database = new DatabaseSync(journalPath(places.stateDirectory));
  const made = indexesOf(database);
  for (const name of ["session", "tool", "event", "agent"]) database.exec(`DROP INDEX entries_by_${name}`);
  assert.deepEqual(indexesOf(database), ["entries_by_call"], "as it was before");
  const again = openJournal(places);
  assert.deepEqual(indexesOf(database), made);
  again.append({ event: "policy.changed", agent: "a1" });
  assert.equal((await seqsOf(again.search({ agent: "a1" }))).length, 11);
  assert.equal(again.verify().ok, true);
  for (const one of [database, again]) one.close();
  rmSync(other, { recursive: true, force: true });
});
