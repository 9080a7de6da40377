// Runs several statements as one: all of them or none.

import type { Database } from "./database.ts";

/** A writer locks the file from the beginning, so that nothing it has read changes meanwhile. A reader blocks nobody. */
export function inTransaction<T>(database: Database, work: () => T, kind: "write" | "read" = "write"): T {
  database.exec(kind === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
