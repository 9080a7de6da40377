// Several statements as one: all of them, or none.

import type { DatabaseSync } from "node:sqlite";

/** IMMEDIATE: who writes holds the file from the beginning, so that nothing it has read is changed under it. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
