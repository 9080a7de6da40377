// The names in a directory, where one that is absent counts as empty.

import { readdirSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

/** Empty if the directory is absent, is none, or cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return [];
  }
}
