// Wakes those who wait for a change in this worker. Nobody else changes the stores.

import type { Wake } from "../store/wake.ts";

/** Questions expire without a change. */
const pollMs = 1_000;

export class LocalWake implements Wake {
  readonly #sleepers = new Set<() => void>();

  announce(): void {
    for (const wake of this.#sleepers) wake();
  }

  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const timer = setTimeout(wake, pollMs);
    this.#sleepers.add(wake);
    signal.addEventListener("abort", wake);
    await promise;
    clearTimeout(timer);
    this.#sleepers.delete(wake);
    signal.removeEventListener("abort", wake);
  }

  close(): void {
    this.announce();
  }
}
