// Removes the layers of calls that have ended, while nobody waits for it: on a busy disk that takes longer than the rest of the call.
// Invariant: a layer that is being removed has a name that says so, so that the next gate removes the rest if this one is killed.

import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
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
        await rm(path, beside);
      } catch (error) {
        removeOdd(path, error);
      }
      this.#waiting.delete(path);
    }
    this.#isRunning = false;
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
