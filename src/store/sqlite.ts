// Keeps the journal in a SQLite file, shared by every process of this person on this machine.
// `journal-writer.ts` appends to it.

import { createHmac, type KeyObject, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { verifyChain } from "../audit/chain.ts";
import { contentOf } from "../audit/content.ts";
import { KnownSecrets } from "../audit/known-secrets.ts";
import { entryLine } from "../audit/entry.ts";
import { type Journal, JournalFault } from "../audit/journal.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { openAnchorFile } from "./anchor-file.ts";
import { loadAuditKey } from "./audit-key.ts";
import { openCounts } from "./journal-counts.ts";
import { entriesTable, entryOf, readEntries, searchEntries } from "./journal-rows.ts";
import { JournalWriter, type WriterContext } from "./journal-writer.ts";
import { messageOf, openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
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

interface Context extends WriterContext {
  readonly hasKey: boolean;
}

function createJournal(database: DatabaseSync, context: Context): Journal {
  const { anchors, path } = context;
  const oneEntry = database.prepare("SELECT * FROM entries WHERE seq = ?");
  const writer = new JournalWriter(database, context);
  if (context.hasKey) writer.checkEnd();
  const known = new KnownSecrets();
  const counts = openCounts(database);
  const nextTurn = createEventLoopYield();
  const reading = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw faultOf(error, path, "read");
    }
  };
  const counted = () =>
    reading(() => {
      while (counts.countSlice());
      return counts.current();
    });

  return {
    append(draft, { durable = false } = {}) {
      const content = contentOf(draft, known);
      try {
        if (!context.hasKey)
          throw new JournalFault("The log was written with another key than the one in the configuration directory.");
        return writer.append(content, durable);
      } catch (error) {
        throw faultOf(error, path, "written");
      }
    },
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
    lastSeq: () => reading(() => writer.last().seq),
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
      writer.close();
      database.close();
      anchors.close();
    },
  };
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
