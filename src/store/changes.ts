// What has changed in a database, by whichever process: a version to compare, and a way to wait for another one.

import type { DatabaseSync } from "node:sqlite";
import { Wake } from "./wake.ts";

/** Who waits is woken in any case then: questions expire, and watchers go, without a change in the store. */
const longestWaitMs = 1_200;

export class Changes {
  readonly #database: DatabaseSync;
  readonly #wake: Wake;
  /** What this connection itself changes does not count for sqlite. */
  #own = 0;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#wake = new Wake(path);
  }

  version(): string {
    return `${String(this.#database.prepare("PRAGMA data_version").get()?.["data_version"])} ${this.#own}`;
  }

  /** Runs what changes the store, and tells everybody. */
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
