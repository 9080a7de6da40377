// The journal over a database: one append is one transaction, reading is by slices. `journal-writer.ts` appends to it.

import { type ChainKey, verifyChain } from "../audit/chain.ts";
import { contentOf } from "../audit/content.ts";
import { entryLine } from "../audit/entry.ts";
import { type Journal, JournalFault } from "../audit/journal.ts";
import { KnownSecrets } from "../audit/known-secrets.ts";
import type { Hashes } from "../shared/hash.ts";
import type { AnchorFile } from "./anchor-file.ts";
import type { Database } from "./database.ts";
import { openCounts } from "./journal-counts.ts";
import { entryOf, readEntries, searchEntries } from "./journal-rows.ts";
import { JournalWriter, type WriterContext } from "./journal-writer.ts";

export interface JournalParts extends Omit<WriterContext, "logId" | "anchors"> {
  readonly openAnchors: (logId: string) => AnchorFile;
  readonly hashes: Hashes;
  /** Lets others have their turn. */
  readonly nextTurn: () => Promise<void>;
}

/** Opens the log that the database has, or begins one. `entriesTable` must be there. */
export function createJournal(database: Database, parts: JournalParts): Journal {
  const { path, key, hashes } = parts;
  const { logId, keyId } = loadLog(database, keyIdOf(key));
  const hasKey = keyId === keyIdOf(key);
  const anchors = parts.openAnchors(logId);
  const context = { ...parts, logId, anchors };
  const oneEntry = database.prepare("SELECT * FROM entries WHERE seq = ?");
  const writer = new JournalWriter(database, context);
  if (hasKey) writer.checkEnd();
  const known = new KnownSecrets();
  const counts = openCounts(database);
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
      const content = contentOf(draft, hashes, known);
      try {
        if (!hasKey)
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
        await parts.nextTurn();
      }
    },
    entries: () => readEntries(database, {}, "oldest"),
    entry(seq) {
      const row = reading(() => oneEntry.get(seq));
      return row === undefined ? undefined : entryOf(row);
    },
    story: (call_id) => reading(() => [...readEntries(database, { call_id }, "oldest")]),
    async count() {
      while (database.isOpen && reading(() => counts.countSlice())) await parts.nextTurn();
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

function loadLog(database: Database, keyId: string): { logId: string; keyId: string } {
  database.exec("BEGIN IMMEDIATE");
  try {
    const read = database.prepare("SELECT id, key_id FROM log");
    if (read.get() === undefined) {
      if (database.prepare("SELECT 1 FROM entries LIMIT 1").get() !== undefined)
        throw new JournalFault("The log has entries, but its own name is gone: it was tampered with.");
      database.prepare("INSERT INTO log VALUES (?, ?)").run(crypto.randomUUID(), keyId);
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
function keyIdOf(key: ChainKey): string {
  return key("sallyport audit key").slice(0, 16);
}

export function faultOf(error: unknown, path: string, verb: string): JournalFault {
  if (error instanceof JournalFault) return error;
  return new JournalFault(
    `The audit log ${path} cannot be ${verb}: ${error instanceof Error ? error.message : String(error)}`,
    {
      cause: error,
      hint: "Nothing runs without a record. Check that the disk has room and that the directory can be written.",
    },
  );
}
