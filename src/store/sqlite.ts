// Keeps the journal in a SQLite file, shared by every process of this person on this machine.
// Invariant: an append is one transaction that locks the log, reads its last entry and adds the next. Processes lose or
// duplicate nothing, and the cost does not grow with the log.

import { createHmac, type KeyObject, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type ChainContext, genesisHash, sealEntry, verifyChain } from "../audit/chain.ts";
import { contentOf, type EntryContent } from "../audit/content.ts";
import { KnownSecrets } from "../audit/known-secrets.ts";
import { type Entry, entryLine } from "../audit/entry.ts";
import { type AppendOptions, type Journal, JournalFault } from "../audit/journal.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { type AnchorFile, openAnchorFile } from "./anchor-file.ts";
import { loadAuditKey } from "./audit-key.ts";
import { openCounts } from "./journal-counts.ts";
import { entriesTable, entryOf, insertEntry, readEntries, rowOf, searchEntries } from "./journal-rows.ts";
import { messageOf, openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { createDelayedSync } from "./delayed-sync.ts";
import { createEventLoopYield } from "./event-loop-yield.ts";

export interface JournalOptions {
  /** The directory of the log. No grant covers it. */
  readonly stateDirectory: string;
  /** The directory of its key and anchors: the configuration directory, not inside the state directory. */
  readonly keyDirectory: string;
  readonly clock?: Clock;
}

const busyMs = 15_000;

export function journalPath(stateDirectory: string): string {
  return join(stateDirectory, "journal.sqlite");
}

/** True if there is a log to read. Opening the journal would create it. */
export function hasJournal(stateDirectory: string): boolean {
  return existsSync(journalPath(stateDirectory));
}

export function openJournal(options: JournalOptions): Journal {
  const path = journalPath(options.stateDirectory);
  openPrivateDirectory(options.stateDirectory, "state directory");
  openPrivateFile(path);
  const database = openDatabase(path, entriesTable);
  try {
    const key = loadAuditKey(
      options.keyDirectory,
      () => database.prepare("SELECT 1 FROM entries LIMIT 1").get() !== undefined,
    );
    const { logId, keyId } = loadLog(database, keyIdOf(key));
    const anchors = openAnchorFile(options.keyDirectory, logId);
    return createJournal(database, {
      path,
      key,
      logId,
      anchors,
      clock: options.clock ?? systemClock,
      hasKey: keyId === keyIdOf(key),
    });
  } catch (error) {
    database.close();
    throw faultOf(error, path, "opened");
  }
}

interface Context extends ChainContext {
  readonly path: string;
  readonly anchors: AnchorFile;
  readonly clock: Clock;
  readonly hasKey: boolean;
}

function createJournal(database: DatabaseSync, context: Context): Journal {
  const { anchors, key } = context;
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const lastEntry = database.prepare("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1");
  const oneEntry = database.prepare("SELECT * FROM entries WHERE seq = ?");
  const insert = database.prepare(insertEntry);
  const genesis = genesisHash(context);
  let isFull = true;

  const setDurable = (isDurable: boolean) => {
    if (isDurable === isFull) return;
    database.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}`);
    isFull = isDurable;
  };

  const last = () => (lastEntry.get() ?? { seq: 0, hash: genesis }) as { seq: number; hash: string };

  const add = (content: EntryContent, previous: { seq: number; hash: string }): Entry => {
    const time = new Date(context.clock.now()).toISOString();
    const entry = sealEntry({ seq: previous.seq + 1, time, ...content, prev: previous.hash }, key);
    insert.run(...rowOf(entry));
    return entry;
  };

  /** Runs while the log is locked. Records in the chain, permanently, that its end is not the one that was written. */
  const noteCut = (end: { seq: number; hash: string }): Entry | undefined => {
    const anchor = anchors.contradicting(end.seq, end.hash) ?? replacedAnchor(end.seq);
    return anchor === undefined ? undefined : add(cutContent(anchor, end), end);
  };

  const settled = createDelayedSync(context.path, (entry) => {
    begin.run();
    // Otherwise another process has written since, and its note replaces this one.
    if (last().seq === entry.seq) anchors.write(entry, true);
    database.exec("ROLLBACK");
  });

  let isChecked = false; // an anchor may also be before the end: this is checked once, when the log is opened
  const replacedAnchor = (seq: number) => {
    if (isChecked) return undefined;
    return anchors.read().find((anchor) => anchor.seq <= seq && oneEntry.get(anchor.seq)?.["hash"] !== anchor.hash);
  };

  const write = (content: EntryContent | undefined, isDurable: boolean): Entry | undefined => {
    setDurable(isDurable);
    begin.run();
    try {
      const end = last();
      const cut = noteCut(end);
      const entry = content === undefined ? cut : add(content, cut ?? end);
      commit.run();
      isChecked = true;
      if (entry === undefined) return undefined;
      if (cut === undefined) anchors.write(entry, isDurable);
      else anchors.reset(entry);
      settled.note(isDurable ? null : entry);
      return entry;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };

  const known = new KnownSecrets();
  const append: Journal["append"] = (draft, options: AppendOptions = {}) => {
    const content = contentOf(draft, known);
    try {
      if (!context.hasKey)
        throw new JournalFault("The log was written with another key than the one in the configuration directory.");
      return write(content, options.durable === true) as Entry;
    } catch (error) {
      throw faultOf(error, context.path, "written");
    }
  };

  const reading = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw faultOf(error, context.path, "read");
    }
  };

  const counts = openCounts(database);
  const nextTurn = createEventLoopYield();
  const counted = () =>
    reading(() => {
      while (counts.countSlice());
      return counts.current();
    });

  const isContradicted = (end: { seq: number; hash: string }) =>
    anchors.contradicting(end.seq, end.hash) !== undefined || replacedAnchor(end.seq) !== undefined;
  // `write` checks again while the log is locked before it records anything, because another process may be appending.
  if (context.hasKey && isContradicted(last())) tryWrite(() => write(undefined, true));
  else isChecked = true;

  return {
    append,
    list: (filter = {}) => readEntries(database, filter, filter.order ?? "newest"),
    async *search(filter = {}, signal) {
      const slices = searchEntries(database, filter);
      while (signal?.aborted !== true) {
        const { value: found, done } = reading(() => slices.next());
        if (done === true) return;
        yield* found;
        await nextTurn();
      }
    },
    entries: () => readEntries(database, {}, "oldest"),
    entry(seq) {
      const row = reading(() => oneEntry.get(seq));
      return row === undefined ? undefined : entryOf(row);
    },
    story: (call_id) => reading(() => [...readEntries(database, { call_id }, "oldest")]),
    async count() {
      while (database.isOpen && reading(() => counts.countSlice())) await nextTurn();
    },
    stats: () => counted().stats(),
    hours: (since) => counted().hours(since),
    sessions: () => counted().sessions(),
    lastSeq: () => reading(() => last().seq),
    // Reads the anchors first: entries appended meanwhile only make the log longer than the anchors say.
    verify() {
      return reading(() => {
        const noted = anchors.read();
        return verifyChain(readEntries(database, {}, "oldest"), context, noted);
      });
    },
    *exportLines(filter = {}) {
      for (const entry of readEntries(database, filter, filter.order ?? "oldest")) yield entryLine(entry);
    },
    close() {
      if (!database.isOpen) return;
      settled.now();
      database.close();
      anchors.close();
    },
  };
}

// A log that cannot be written can still be read and verified. `append` tries again and reports the failure.
function tryWrite(write: () => unknown): void {
  try {
    write();
  } catch {}
}

function cutContent(anchor: { seq: number; hash: string }, end: { seq: number; hash: string }): EntryContent {
  const outcome = {
    message: anchor.seq > end.seq ? "the end of the log was cut" : "the end of the log was replaced",
    anchor_seq: anchor.seq,
    anchor_hash: anchor.hash,
    found_seq: end.seq,
    found_hash: end.hash,
  };
  const nobody = { session: null, agent: null, call_id: null, tool: null, digest: null, decision: null, because: null };
  return { ...nobody, event: "audit.cut", args: null, outcome };
}

/** Opens the file for several processes at once. Their first openings may collide, because switching to WAL needs exclusive access. */
export function openDatabase(path: string, schema: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyMs });
  try {
    const until = Date.now() + busyMs;
    for (;;) {
      try {
        database.exec(
          `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 16777216;`,
        );
        database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
        return database;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        if (!/locked|busy/i.test(messageOf(error)) || Date.now() > until) throw error;
      }
    }
  } catch (error) {
    database.close();
    throw faultOf(error, path, "opened");
  }
}

function loadLog(database: DatabaseSync, keyId: string): { logId: string; keyId: string } {
  database.exec("BEGIN IMMEDIATE");
  try {
    const read = database.prepare("SELECT id, key_id FROM log");
    if (read.get() === undefined) {
      if (database.prepare("SELECT 1 FROM entries LIMIT 1").get() !== undefined)
        throw new JournalFault("The log has entries, but its own name is gone: it was tampered with.");
      database.prepare("INSERT INTO log VALUES (?, ?)").run(randomUUID(), keyId);
    }
    const row = read.get() as { id: string; key_id: string };
    if (!/^[0-9a-f-]{36}$/.test(row.id))
      throw new JournalFault("The log's own name was changed: it was tampered with.");
    database.exec("COMMIT");
    return { logId: row.id, keyId: row.key_id };
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Identifies a key without revealing it. */
function keyIdOf(key: KeyObject): string {
  return createHmac("sha256", key).update("sallyport audit key").digest("hex").slice(0, 16);
}

function faultOf(error: unknown, path: string, verb: string): JournalFault {
  if (error instanceof JournalFault) return error;
  return new JournalFault(`The audit log ${path} cannot be ${verb}: ${messageOf(error)}`, {
    cause: error,
    hint: "Nothing runs without a record. Check that the disk has room and that the directory can be written.",
  });
}
