// Adds a column that files of earlier versions do not have. Processes of those versions can still use the file, because they
// name the columns that they write.

import type { Database } from "./database.ts";
import { inTransaction } from "./transaction.ts";

/** `column` is as in CREATE TABLE, and must allow null. */
export function addColumn(database: Database, table: string, column: string): void {
  const [name] = column.split(" ");
  const isThere = () =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .some((row) => row["name"] === name);
  if (isThere()) return;
  inTransaction(database, () => {
    // Another process may have added it first.
    if (!isThere()) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
  });
}
