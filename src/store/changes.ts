// Detects changes of a database by any process: a version to compare, and a way to wait for the next one.

import type { Database } from "./database.ts";
import type { Wake } from "./wake.ts";

/** Waiting ends after this time in any case, because questions expire and watchers leave without a change in the store. */
const longestWaitMs = 1_200;

export class Changes {
  readonly #database: Database;
  readonly #wake: Wake;
  /** SQLite's data_version does not count the changes of this connection. */
  #own = 0;

  constructor(database: Database, wake: Wake) {
    this.#database = database;
    this.#wake = wake;
  }

  version(): string {
    return `${String(this.#database.prepare("PRAGMA data_version").get()?.["data_version"])} ${this.#own}`;
  }

  /** Runs `work`, which changes the store, and notifies all processes. */
  make<T>(work: () => T): T {
    this.#own += 1;
    const result = work();
    this.#wake.announce();
    return result;
  }

  async next(since: string, signal: AbortSignal): Promise<void> {
    const until = performance.now() + longestWaitMs;
    while (!signal.aborted && this.#database.isOpen && this.version() === since && performance.now() < until)
      await this.#wake.next(signal);
  }

  close(): void {
    this.#wake.close();
  }
}
