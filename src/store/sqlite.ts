// Opens the SQLite files of this machine, among them the journal's, which every process of this person shares.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Journal } from "../audit/journal.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { openAnchorFile } from "./anchor-file.ts";
import { loadAuditKey } from "./audit-key.ts";
import { createDelayedSync } from "./delayed-sync.ts";
import { createEventLoopYield } from "./event-loop-yield.ts";
import { createJournal, faultOf } from "./journal-database.ts";
import { entriesTable } from "./journal-rows.ts";
import { messageOf, openPrivateDirectory, openPrivateFile } from "./private-directory.ts";

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
    return createJournal(database, {
      path,
      key,
      hashes: nodeHashes,
      openAnchors: (logId) => openAnchorFile(options.keyDirectory, logId),
      clock: options.clock ?? systemClock,
      syncLater: (settled) => createDelayedSync(path, settled),
      nextTurn: createEventLoopYield(),
    });
  } catch (error) {
    database.close();
    throw faultOf(error, path, "opened");
  }
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
