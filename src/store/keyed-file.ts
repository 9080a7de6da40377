// Looks into a file of SQLite without opening the database.

import { closeSync, openSync, readSync, statSync } from "node:fs";

/**
 * Whether the file must be opened for the migration. It reads `user_version` from SQLite's header, because opening the
 * database costs more than most calls. A version that is still in the WAL file is not visible here, and then the file is
 * opened.
 */
export function mayNeedKeys(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const header = Buffer.alloc(64);
  const file = openSync(path, "r");
  try {
    return readSync(file, header, 0, 64, 0) < 64 || header.readUInt32BE(60) < 1;
  } finally {
    closeSync(file);
  }
}
