// The gate's private scratch directory: its pipes, and texts on their way into a box. It is in memory if the machine has a tmpfs,
// because on a disk the file system would write out each call's small changes with the record's next commit.

import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { markOfThisProcess, mayBeAlive, processMark } from "../process/process-mark.ts";
import { errorCode } from "../shared/error-code.ts";
import { isInMemory } from "./file-system-kind.ts";
import { removeTree } from "./remove-tree.ts";

const MEMORY = "/dev/shm";
const marked = new RegExp(`^sallyport-(${processMark})-[0-9a-f]{12}$`);

export function makeScratchDirectory(boxDirectory: string): string {
  for (const base of [MEMORY, boxDirectory]) {
    const directory = `${base}/sallyport-${markOfThisProcess()}-${randomBytes(6).toString("hex")}`;
    if (base === boxDirectory || isInMemory(base)) if (tryMake(directory)) return directory;
  }
  throw new Error(`no private directory could be made in ${boxDirectory}`);
}

function tryMake(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

/** Removes the scratch directories of this user's gates that have ended. */
export function sweepScratchDirectories(boxDirectory: string): void {
  for (const base of [MEMORY, boxDirectory]) {
    for (const name of isInMemory(base) || base === boxDirectory ? readdirSync(base) : []) {
      const mark = marked.exec(name)?.[1];
      const directory = `${base}/${name}`;
      const isOurs = lstatSync(directory, { throwIfNoEntry: false })?.uid === process.getuid?.();
      if (mark !== undefined && isOurs && !mayBeAlive(mark)) removeScratchDirectory(directory);
    }
  }
}

/** Removes the directory and everything in it. */
export function removeScratchDirectory(directory: string): void {
  let count = 0;
  const draft = () => `${directory}/taken-apart-${process.pid}-${count++}`;
  try {
    for (const name of readdirSync(directory)) removeTree(`${directory}/${name}`, draft);
    rmdirSync(directory);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error; // another gate is sweeping too
  }
}
