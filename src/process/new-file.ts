// Writes a file that a person names and that is not there yet.
// Invariant: nothing that exists is changed, and no link with that name is followed.

import { closeSync, constants, openSync, unlinkSync, writeFileSync } from "node:fs";

/** Throws errors of the disk: EEXIST if there is something of that name. What could not be written whole is removed. */
export function writeNewFile(path: string, bytes: Uint8Array): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o666);
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}
