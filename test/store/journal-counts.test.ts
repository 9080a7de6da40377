// The counts that are kept while the log grows are those of counting all of it anew, and cost what is new.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { entryEvents, type EntryDraft } from "../../src/audit/entry.ts";
import type { Journal } from "../../src/audit/journal.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { journalPath, openJournal } from "../../src/store/sqlite.ts";
import { createEventLoopYield } from "../../src/store/event-loop-yield.ts";
import { hoursBySql, sessionsBySql, statsBySql } from "./count-by-sql.ts";
import { turnsTaken } from "./turns-taken.ts";

const made: string[] = [];
after(() => made.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

const noon = Date.parse("2026-01-31T12:00:00Z");

interface Log {
  readonly journal: Journal;
  /** As another process sees it. */
  readonly other: Journal;
  readonly database: DatabaseSync;
  /** Minutes from noon. */
  setTime(minutes: number): void;
  close(): void;
}

function newLog(): Log {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-counts-"));
  made.push(directory);
  let at = noon;
  const clock = { ...systemClock, now: () => at };
  const options = { stateDirectory: join(directory, "state"), keyDirectory: join(directory, "config"), clock };
  const [journal, other] = [openJournal(options), openJournal(options)];
  const database = new DatabaseSync(journalPath(options.stateDirectory));
  return {
    journal,
    other,
    database,
    setTime: (minutes) => void (at = noon + minutes * 60_000),
    close() {
      for (const one of [journal, other, database]) one.close();
    },
  };
}

function fill(journal: Journal, count: number): void {
  for (let index = 1; index <= count; index += 1)
    journal.append({ event: "tool.call.received", session: `s${index % 3}`, call_id: `c${index}`, tool: "Exec" });
}

const sinces = ["", "2026-01-31T11:30:00Z", "2026-02-01", "2999-01-01T00:00:00Z"];

function assertAsCountedAnew({ journal, database }: Log): void {
  const [kept, anew] = [journal.stats(), statsBySql(database)];
  assert.deepEqual(kept, anew);
  for (const name of ["tools", "events", "decisions", "refusals", "durations"] as const)
    assert.deepEqual(Object.keys(kept[name]), Object.keys(anew[name]), `the order of ${name}`);
  for (const since of sinces) assert.deepEqual(journal.hours(since), hoursBySql(database, since), since);
  assert.deepEqual(journal.sessions(), sessionsBySql(database));
}

const name = (...names: string[]) => fc.constantFrom(null, ...names);
const seconds = fc.oneof(
  fc.double({ min: 0, max: 700, noNaN: true }),
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom(null, "1", [2]),
);
const outcome = fc.oneof(
  fc.record({ error: name("fs_denied", "net_denied", "__proto__"), duration_s: seconds }, { requiredKeys: [] }),
  fc.constantFrom(null, "text", ["list"]),
);
const draft = fc.record({
  event: fc.constantFrom(...entryEvents.filter((event) => event !== "audit.cut")),
  session: name("s1", "s2", "s3"),
  agent: name("a1", "a2"),
  tool: name("Exec", "Bash", "__proto__", "7"),
  decision: fc.constantFrom("allow" as const, "ask" as const, "deny" as const, null),
  outcome,
});
type Step =
  | {
      readonly kind: "append";
      readonly draft: EntryDraft;
      readonly call: number | null;
      readonly minutes: number;
      readonly isOurs: boolean;
    }
  | { readonly kind: "look" }
  | { readonly kind: "cut" | "prune"; readonly count: number };
const append = fc.record({
  kind: fc.constant("append" as const),
  draft,
  call: fc.option(fc.nat(9)),
  minutes: fc.integer({ min: -3_000, max: 3_000 }),
  isOurs: fc.boolean(),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: append },
    { weight: 4, arbitrary: fc.constant({ kind: "look" as const }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom("cut" as const, "prune" as const),
        count: fc.integer({ min: 1, max: 4 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

const removals = {
  cut: "DELETE FROM entries WHERE seq IN (SELECT seq FROM entries ORDER BY seq DESC LIMIT ?)",
  prune: "DELETE FROM entries WHERE seq IN (SELECT seq FROM entries ORDER BY seq LIMIT ?)",
};

/** Every call has an id of its own, and what happens to it comes after it. */
function play(log: Log, all: readonly Step[]): void {
  let calls = 0;
  for (const step of all) {
    if (step.kind === "look") assertAsCountedAnew(log);
    else if (step.kind === "append") {
      const isNew = step.draft.event === "tool.call.received";
      if (isNew && step.call !== null) calls += 1;
      const of = step.call === null || calls === 0 ? null : isNew ? calls : Math.max(1, calls - step.call);
      log.setTime(step.minutes);
      (step.isOurs ? log.journal : log.other).append({ ...step.draft, call_id: of === null ? null : `c${of}` });
    } else log.database.prepare(removals[step.kind]).run(step.count);
  }
  assertAsCountedAnew(log);
}

test("whatever is written, by whomever, whenever it is looked at, cut or pruned: as counted anew", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const log = newLog();
      try {
        play(log, all);
      } finally {
        log.close();
      }
    }),
    { numRuns: 60 },
  );
});

test("a log of any length around a slice is counted to its end", async () => {
  for (const count of [0, 1, 249, 250, 251, 500, 777]) {
    const log = newLog();
    fill(log.other, count);
    await log.journal.count();
    assert.equal(log.journal.stats().entries, count);
    assertAsCountedAnew(log);
    log.close();
  }
});

test("what was counted is not read again; who opens the log anew reads all", () => {
  const log = newLog();
  fill(log.journal, 20);
  assert.deepEqual(log.journal.stats().tools, { Exec: 20 });
  // Whoever reads these again sees another tool.
  log.database.exec("UPDATE entries SET tool = 'Spoilt' WHERE seq > 1 AND seq < 20");
  fill(log.journal, 1);
  assert.deepEqual(log.journal.stats().tools, { Exec: 21 });
  assert.deepEqual(log.other.stats().tools, { Spoilt: 18, Exec: 3 }, "control: it can be seen");
  log.close();
});

test("another end, or another beginning, of the same length: all is counted anew", () => {
  for (const where of ["seq = 20", "seq = 1"]) {
    const log = newLog();
    fill(log.journal, 20);
    assert.equal(log.journal.stats().calls, 20);
    log.database.exec(`UPDATE entries SET event = 'policy.changed', hash = 'other' WHERE ${where}`);
    assert.equal(log.journal.stats().calls, 19, where);
    assertAsCountedAnew(log);
    log.close();
  }
});

test("counting lets everything else go on; who waits together is counted for once", async () => {
  const log = newLog();
  fill(log.journal, 2_000);
  log.close();
  const again = () =>
    openJournal({ stateDirectory: join(made.at(-1) ?? "", "state"), keyDirectory: join(made.at(-1) ?? "", "config") });
  const [one, together, atOnce] = [again(), again(), again()];
  const turns = await turnsTaken(() => one.count());
  assert.ok(turns >= 7, `${turns} turns`);
  assert.ok((await turnsTaken(() => Promise.all([1, 2, 3].map(() => together.count())))) <= turns + 2);
  assert.equal(await turnsTaken(async () => atOnce.stats()), 0, "control: at one go nobody else has a turn");
  assert.equal(await turnsTaken(async () => one.stats()), 0);
  assert.deepEqual(one.stats(), atOnce.stats());

  // Looked at while it is still being counted.
  const half = again();
  const counting = half.count();
  assert.deepEqual(half.stats(), one.stats());
  await counting;
  assert.deepEqual(half.stats(), one.stats());
  for (const journal of [one, together, atOnce, half]) journal.close();
});

test("closed while it is counted: no fault", async () => {
  const log = newLog();
  fill(log.other, 600);
  const counting = log.journal.count();
  log.close();
  await counting;
});

test("whoever waits for a turn, each turn has one of them", async () => {
  const nextTurn = createEventLoopYield();
  let turn = 0;
  const seen: number[] = [];
  const work = async () => {
    for (let slice = 0; slice < 3; slice += 1) {
      await nextTurn();
      seen.push(turn);
    }
  };
  const count = () => {
    turn += 1;
    if (seen.length < 9) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([work(), work(), work()]);
  assert.equal(seen.length, 9);
  assert.equal(new Set(seen).size, 9, seen.join(" "));
});
