// Looks at the project while a box of a draft runs, which may take days, so that what the person makes meanwhile is kept out of the draft.
// The kernel tells of new names in the directories that show through. Elsewhere, such as deep in `node_modules`, it looks now and then.
// Invariant: to look takes a small part of the time.

import { type FSWatcher, watch } from "node:fs";
import { lookPause } from "../sandbox/draft-seen.ts";
import { errorCode } from "../shared/error-code.ts";
import type { Failure } from "../shared/failure.ts";
import { limits } from "../shared/limits.ts";

export interface GuardLook {
  /** How many paths it removed from the draft. */
  readonly count: number;
  /** Why the boxes end: their programs can read what is hidden. */
  readonly exposed: Failure | null;
  readonly tookMs: number;
}

const LEAST_PAUSE_MS = 1_000;
/** While nothing is found, each pause is twice as long as the one before. */
const MOST_PAUSE_MS = 15_000;
/** After a look because of an event, for each millisecond that it took: programs may make names all the time. */
const EVENT_PAUSE = 4;

export class DraftGuard {
  readonly #look: () => Promise<GuardLook>;
  readonly #directories: () => readonly string[];
  /** What ends each box. */
  readonly #boxes = new Set<(failure: Failure) => void>();
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | null = null;
  #dueAt = Infinity;
  #pauseMs = LEAST_PAUSE_MS;
  #isLooking = false;
  /** Something happened while it looked. */
  #isAgain = false;
  /** No look because of an event is earlier. */
  #restsUntil = 0;
  #fault: unknown = null;

  /** `directories`: where the project shows through. */
  constructor(directories: () => readonly string[], look: () => Promise<GuardLook>) {
    this.#directories = directories;
    this.#look = look;
  }

  /** Call this when a box starts, and what it returns when the box has ended. That throws if a look has failed. `end` ends the box. */
  hold(end: (failure: Failure) => void): () => void {
    const box = (failure: Failure) => end(failure);
    this.#boxes.add(box);
    if (this.#boxes.size === 1) {
      this.#pauseMs = LEAST_PAUSE_MS;
      this.#lookIn(limits.draftGuardMs);
    }
    return () => {
      this.#boxes.delete(box);
      if (this.#boxes.size === 0) this.#stop();
      const fault = this.#fault;
      this.#fault = null;
      if (fault !== null) throw fault;
    };
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#dueAt = Infinity;
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  /** Most boxes have ended before the first look, and cost nothing. */
  #lookIn(ms: number): void {
    const dueAt = performance.now() + ms;
    if (dueAt >= this.#dueAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#lookNow(), ms).unref();
  }

  async #lookNow(): Promise<void> {
    this.#timer = null;
    this.#dueAt = Infinity;
    this.#isLooking = true;
    this.#isAgain = false;
    if (this.#watchers.length === 0) this.#watch();
    let look: GuardLook = { count: 0, exposed: null, tookMs: 0 };
    try {
      look = await this.#look();
    } catch (error) {
      if (errorCode(error) === "") this.#fault = error; // else the disk is full, for example: the next look tries again
    }
    this.#isLooking = false;
    const { count, exposed, tookMs } = look;
    if (exposed !== null) for (const end of this.#boxes) end(exposed);
    if (this.#boxes.size === 0) return;
    const isQuiet = count === 0 && !this.#isAgain;
    this.#pauseMs = isQuiet ? Math.min(2 * this.#pauseMs, MOST_PAUSE_MS) : LEAST_PAUSE_MS;
    this.#restsUntil = performance.now() + EVENT_PAUSE * tookMs;
    this.#lookIn(this.#isAgain ? EVENT_PAUSE * tookMs : Math.max(this.#pauseMs, lookPause * tookMs));
  }

  /** Where the kernel watches no more directories, there are the looks now and then. */
  #watch(): void {
    for (const directory of this.#directories().slice(0, limits.draftWatches)) {
      try {
        const watcher = watch(directory, { persistent: false }, (event) => this.#heard(event));
        watcher.on("error", () => watcher.close());
        this.#watchers.push(watcher);
      } catch (error) {
        if (errorCode(error) === "") throw error;
      }
    }
  }

  /** A name was made, or is gone: `rename`. */
  #heard(event: string): void {
    if (event !== "rename" || this.#boxes.size === 0) return;
    if (this.#isLooking) this.#isAgain = true;
    else this.#lookIn(Math.max(0, this.#restsUntil - performance.now()));
  }
}
