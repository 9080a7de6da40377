// Removes the layers of calls that have ended, while nobody waits for it: on a busy disk that takes longer than the rest of the call.
// Invariant: a layer that is being removed has a name that says so, so that the next gate removes the rest if this one is killed.

import { rmSync } from "node:fs";
import { readdir, rm, rmdir, unlink } from "node:fs/promises";
import { errorCode } from "../../shared/error-code.ts";
import { renameIfThere } from "../rename-if-there.ts";
import { removeScratchDirectory } from "../scratch-directory.ts";

const GONE = ".gone";
/** A directory is not empty as long as a removal of what is in it is under way. */
const beside = { recursive: true, force: true, maxRetries: 50, retryDelay: 2 } as const;

export function isBeingRemoved(path: string): boolean {
  return path.endsWith(GONE);
}

export class LayerRemoval {
  readonly #waiting = new Set<string>();
  #isRunning = false;

  add(path: string): void {
    const gone = isBeingRemoved(path) ? path : `${path}${GONE}`;
    if (gone !== path && !renameIfThere(path, gone)) return;
    this.#waiting.add(gone);
    if (!this.#isRunning) void this.#run();
  }

  /** Removes what is left. */
  finish(): void {
    for (const path of this.#waiting) {
      try {
        rmSync(path, beside);
      } catch (error) {
        removeOdd(path, error);
      }
    }
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const path of this.#waiting) {
      try {
        if (!(await removeEmpty(path))) await rm(path, beside);
      } catch (error) {
        removeOdd(path, error);
      }
      this.#waiting.delete(path);
    }
    this.#isRunning = false;
  }
}

/** What a layer has beside `upper`: the list of native/keeper-layer.h, and the kernel's own. Directories after what is in them. */
const files = ["changes", "work/work/incompat/volatile/dirty"];
const directories = ["work/work/incompat/volatile", "work/work/incompat", "work/work", "work"];

/**
 * Removes layers that nothing was written to. `rm` looks at each name several times, in turns with the event loop, and so takes more than
 * half of the system calls that `rw` adds to a call. False if there is something else: then `rm` has to look.
 */
async function removeEmpty(path: string): Promise<boolean> {
  try {
    for (const layer of await readdir(path)) {
      await rmdir(`${path}/${layer}/upper`);
      for (const name of files) await unlink(`${path}/${layer}/${name}`);
      for (const name of directories) await rmdir(`${path}/${layer}/${name}`);
      await rmdir(`${path}/${layer}`);
    }
    await rmdir(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return false;
  }
}

/** What programs have nested too deep, or taken the gate's rights to. If the disk refuses it, the next gate tries again. */
function removeOdd(path: string, why: unknown): void {
  if (errorCode(why) === "") throw why;
  try {
    removeScratchDirectory(path);
  } catch (error) {
    if (errorCode(error) === "") throw error;
  }
}
