// Landings in one directory take turns: those of one gate, and those of gates that know nothing of each other.
// Invariant: the kernel keeps the locks, and ends them with the gate. Two directories of which one contains the other take turns too.
//
// The directories are locked themselves, so there is no file that somebody could leave behind, and no place that two gates would have to
// agree on. A landing does not depend on its turn: each step compares before it replaces. The turn makes the second of two landings see the
// whole of the first, so that it is one conflict and not a part of each.

import { closeSync } from "node:fs";
import { openDirectory } from "../../process/directory-handle.ts";
import { lockDirectories } from "../../process/start.ts";
import { errorCode } from "../../shared/error-code.ts";
import { limits } from "../../shared/limits.ts";
import { ancestorsOf } from "../../shared/path.ts";

/** `directories`: real paths in which something will change. If somebody keeps one locked for too long, the work is done all the same. */
export async function inTurn<T>(keeper: string, directories: readonly string[], work: () => Promise<T>): Promise<T> {
  const alone = new Set(directories);
  const above = directories.flatMap((directory) => ancestorsOf(directory));
  // In the same order for everybody, so that no two wait for each other.
  const paths = [...new Set([...above, ...alone])].toSorted();
  const opened = paths.flatMap((path) => {
    const descriptor = tryOpen(path);
    return descriptor === null ? [] : [{ descriptor, isAlone: alone.has(path) }];
  });
  try {
    await lockDirectories(keeper, opened, limits.landingTurnMs);
    return await work();
  } finally {
    for (const { descriptor } of opened) closeSync(descriptor);
  }
}

/** Null if the gate may pass through the directory, but not read it. */
function tryOpen(path: string): number | null {
  try {
    return openDirectory(path);
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return null;
  }
}
