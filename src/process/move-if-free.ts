// Gives a file another name without replacing anything.

import { linkSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

/** False if something exists at `to`. It stays. */
export function moveIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    unlinkSync(from);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (!["EPERM", "EOPNOTSUPP", "EMLINK", "ENOSYS", "ENOSPC", "EDQUOT"].includes(code)) throw error;
  }
  // The file system has no hard links, or no room for a second name. A rename needs none.
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return false;
  renameSync(from, to);
  return true;
}

/** Does nothing if the file is gone. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
