// Whether anything was changed in a draft since it began. DRAFT/touched says so to the next gate, which then need not look at each file.
// Invariant: what the session changed, made or deleted counts, whoever was killed meanwhile. What the gate itself removed does not: it is
// noted in DRAFT/shielded before.

import { appendFileSync, existsSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { readPlainFile } from "../process/plain-file.ts";
import { errorCode } from "../shared/error-code.ts";
import { tryNote } from "./draft-use.ts";

const SHIELDED_BYTES = 16 << 20;

/** `since`: milliseconds since 1970. */
export function isTouched(directory: string, since: number): boolean {
  if (existsSync(`${directory}/touched`)) return true;
  if (!hasChanges(directory, since)) return false;
  markTouched(directory);
  return true;
}

export function markTouched(directory: string): void {
  tryNote(() => writeFileSync(`${directory}/touched`, "", { mode: 0o600 }));
}

/** `path`: what the gate is about to remove in the mounted draft. */
export function noteShielded(directory: string, path: string): void {
  appendFileSync(`${directory}/shielded`, `${path}\0`, { mode: 0o600 });
}

/** The paths that the gate has removed since the file had `position` bytes, and how many it has now. */
export function shieldedSince(directory: string, position: number): { readonly paths: string[]; readonly end: number } {
  const bytes = readPlainFile(`${directory}/shielded`, SHIELDED_BYTES) ?? Buffer.alloc(0);
  // Only the last one can be incomplete: another gate writes it.
  const end = bytes.lastIndexOf(0) + 1;
  return {
    paths: bytes.subarray(position, end).toString("utf8").split("\0").slice(0, -1),
    end: Math.max(position, end),
  };
}

function hasChanges(directory: string, since: number): boolean {
  const shielded = readPlainFile(`${directory}/shielded`, SHIELDED_BYTES)?.toString("utf8").split("\0") ?? [];
  // The session may have made a file of such a name since.
  const marks = shielded.filter((path) => isMark(`${directory}/upper/${path}`));
  const ofGate = new Set(marks.map((path) => bytesOf(`${directory}/upper/${path}`)));
  try {
    return (
      readdirSync(`${directory}/home`).length > 0 ||
      // git status replaces the index, and gives the git directory another time.
      newestOfOthers(bytesOf(`${directory}/git`), since, new Set([bytesOf(`${directory}/git/index`)])) === null ||
      isNewer(bytesOf(`${directory}/upper`), since, ofGate)
    );
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return true; // a program has made a directory that cannot be read
  }
}

/** A character device marks what is deleted. */
function isMark(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isCharacterDevice() === true;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return false; // below something that is no directory by now
  }
}

/** Names need not be UTF-8: one character for each byte. */
function bytesOf(path: string): string {
  return Buffer.from(path).toString("latin1");
}

/** Changing a file, its mode or its name sets the time of its inode, and removing it sets the time of its directory. */
function isNewer(directory: string, since: number, others: ReadonlySet<string>): boolean {
  const excused = newestOfOthers(directory, since, others);
  return excused === null || lstatSync(Buffer.from(directory, "latin1")).mtimeMs > excused;
}

/** The newest time of those in `others`, at least `since`. Null if another entry is newer than `since`. */
function newestOfOthers(directory: string, since: number, others: ReadonlySet<string>): number | null {
  let newest = since;
  for (const entry of readdirSync(Buffer.from(directory, "latin1"), { withFileTypes: true, encoding: "buffer" })) {
    const path = `${directory}/${entry.name.toString("latin1")}`;
    if (entry.isDirectory()) {
      if (isNewer(path, since, others)) return null;
      continue;
    }
    const { ctimeMs } = lstatSync(Buffer.from(path, "latin1"));
    if (others.has(path)) newest = Math.max(newest, ctimeMs);
    else if (ctimeMs > since) return null;
  }
  return newest;
}
