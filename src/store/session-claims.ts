// Which sessions a `sallyport run` has chosen for itself, from the choice until it ends. Two that start at once choose different ones.
// Invariant: a name belongs to one process. That of a process which was killed is free.

import { join } from "node:path";
import { markOfThisProcess, mayBeAtWork } from "../process/process-mark.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { openDatabase } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";

export interface SessionClaims {
  /** False if another run has it. */
  take(key: string): boolean;
  giveBack(key: string): void;
  /** Gives back all that was taken. */
  close(): void;
}

const claimsTable =
  "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, mark TEXT NOT NULL, at INTEGER NOT NULL) STRICT;";

/** A run in another container cannot be seen from here. After a day, what runs in the session tells whether it is in use. */
const DAY_MS = 24 * 60 * 60 * 1000;

export function openSessionClaims(stateDirectory: string): SessionClaims {
  const path = join(stateDirectory, "runs.sqlite");
  openPrivateDirectory(stateDirectory, "state directory");
  openPrivateFile(path);
  const database = openDatabase(path, claimsTable);
  const taken = new Set<string>();
  const giveBack = (key: string): void => {
    // Somebody may have taken it over meanwhile.
    if (taken.delete(key))
      database.prepare("DELETE FROM claims WHERE key = ? AND mark = ?").run(key, markOfThisProcess());
  };
  return {
    take: (key) =>
      inTransaction(database, () => {
        const row = database.prepare("SELECT mark, at FROM claims WHERE key = ?").get(key);
        const isHeld =
          row !== undefined && mayBeAtWork(String(row["mark"]), { sinceMs: Number(row["at"]), mostMs: DAY_MS });
        if (isHeld) return false;
        database
          .prepare("INSERT OR REPLACE INTO claims (key, mark, at) VALUES (?, ?, ?)")
          .run(key, markOfThisProcess(), Date.now());
        taken.add(key);
        return true;
      }),
    giveBack,
    close() {
      for (const key of taken) giveBack(key);
      database.close();
    },
  };
}
