// Whether anything was changed in a draft since it began.

import { lstatSync, readdirSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

/** `since`: milliseconds since 1970. */
export function isTouched(directory: string, since: number): boolean {
  try {
    return (
      hasEntries(`${directory}/git/logs`) ||
      hasEntries(`${directory}/home`) ||
      isNewer(Buffer.from(`${directory}/upper`), since)
    );
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return true; // a program has made a directory that cannot be read
  }
}

function hasEntries(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch {
    return false; // git makes it with the first commit
  }
}

/**
 * Changing a file, its mode or its name sets the time of its inode, and removing it sets the time of its directory. The gate itself
 * marks files as deleted: these marks, and the time that they gave to their directory, do not count.
 */
function isNewer(directory: Buffer, since: number): boolean {
  let marked = since;
  for (const entry of readdirSync(directory, { withFileTypes: true, encoding: "buffer" })) {
    const path = Buffer.concat([directory, Buffer.from("/"), entry.name]);
    if (entry.isDirectory()) {
      if (isNewer(path, since)) return true;
      continue;
    }
    const { ctimeMs } = lstatSync(path);
    if (entry.isCharacterDevice()) marked = Math.max(marked, ctimeMs);
    else if (ctimeMs > since) return true;
  }
  return lstatSync(directory).mtimeMs > marked;
}
