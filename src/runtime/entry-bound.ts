// How many entries that the programs of one box cause go into the record: a burst, a rate in the long run, and bytes in all.

import { type Clock, systemClock } from "../shared/clock.ts";
import { limits } from "../shared/limits.ts";

/** What an entry takes beside its arguments. */
const ENTRY_BYTES = 512;

export class EntryBound {
  readonly #clock: Clock;
  #bytesLeft: number = limits.saidInBoxBytes;
  #burst: number = limits.saidBurst;
  #filledAt: number;
  /** How many were left out. */
  dropped = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#filledAt = clock.monotonic();
  }

  /** False: the entry is not written. */
  takes(): boolean {
    const now = this.#clock.monotonic();
    this.#burst = Math.min(limits.saidBurst, this.#burst + ((now - this.#filledAt) / 1000) * limits.saidPerS);
    this.#filledAt = now;
    if (this.#burst < 1 || this.#bytesLeft <= 0) {
      this.dropped += 1;
      return false;
    }
    this.#burst -= 1;
    return true;
  }

  wrote(argumentBytes: number): void {
    this.#bytesLeft -= argumentBytes + ENTRY_BYTES;
  }
}
