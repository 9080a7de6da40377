// A column that files of earlier versions do not have. Processes of those versions go on working beside us: they name the
// columns that they write.

import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./transaction.ts";

/** `column` as in CREATE TABLE; it may be null. */
export function addColumn(database: DatabaseSync, table: string, column: string): void {
  const [name] = column.split(" ");
  const isThere = () =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .some((row) => row["name"] === name);
  if (isThere()) return;
  inTransaction(database, () => {
    // Another process may have been quicker.
    if (!isThere()) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
  });
}
