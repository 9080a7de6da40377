// Notifies every process that uses a file of a change: the process that changed it touches it, and the kernel notifies the
// others. If the kernel cannot (no room for another watch, a remote file system), they poll.

import { type FSWatcher, utimesSync, watch } from "node:fs";

/**
 * The poll interval with a watch. It finds changes that were not announced: of a process that was killed in between, or of an
 * earlier version.
 */
const pollWatchedMs = 250;
const pollMs = 60;

/** Tells those who wait that something has changed. */
export interface Wake {
  /** Call it once the change can be read. */
  announce(): void;
  /** Resolves after an announcement, and soon in any case. */
  next(signal: AbortSignal): Promise<void>;
  close(): void;
}

export class FileWake implements Wake {
  readonly #path: string;
  /** Null if the file cannot be watched. */
  #watcher: FSWatcher | null | undefined;
  readonly #sleepers = new Set<() => void>();

  constructor(path: string) {
    this.#path = path;
  }

  announce(): void {
    const now = new Date();
    try {
      utimesSync(this.#path, now, now);
    } catch {} // the others poll
  }

  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (this.#watcher === undefined) this.#watcher = this.#startWatching();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const timer = setTimeout(wake, this.#watcher === null ? pollMs : pollWatchedMs);
    this.#sleepers.add(wake);
    signal.addEventListener("abort", wake);
    await promise;
    clearTimeout(timer);
    this.#sleepers.delete(wake);
    signal.removeEventListener("abort", wake);
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = null;
    this.#wakeAll();
  }

  #startWatching(): FSWatcher | null {
    try {
      const watcher = watch(this.#path, { persistent: false }, () => this.#wakeAll());
      watcher.on("error", () => {
        watcher.close();
        this.#watcher = null;
      });
      return watcher;
    } catch {
      return null;
    }
  }

  #wakeAll(): void {
    for (const wake of this.#sleepers) wake();
  }
}
