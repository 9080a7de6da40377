// Programs of the system that the gate itself relies on: taken from fixed places, and only if nobody else can change them.

import { lstatSync } from "node:fs";
import { resolvePath } from "./real-path.ts";

/** Root's or ours, an executable file, and not writable for others. */
export function isTrustedProgram(path: string): boolean {
  const found = lstatSync(resolvePath(path).real, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return false;
  return (
    (found.uid === 0 || found.uid === process.getuid?.()) && (found.mode & 0o022) === 0 && (found.mode & 0o111) !== 0
  );
}
