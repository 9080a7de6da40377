// Renames a directory of the gate's own that another process may have taken.

import { renameSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

/** False if it is not there any more. */
export function renameIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
