// The limits of a call over all its connections: how many at once, and how many bytes in each direction.
// Invariant: no byte over a limit is passed on. When one is reached, every connection of the call is cut.

import type { OpenHostUse } from "./host-use.ts";

export interface NetworkLimits {
  /** At once. */
  readonly connections: number;
  readonly outBytes: number;
  readonly inBytes: number;
  readonly idleMs: number;
}

/** Counts the bytes of one host. False: they must not be passed on, and the connection has been cut. */
export interface Meter {
  out(bytes: number): boolean;
  in(bytes: number): boolean;
  /** Of a file that the gate has kept, instead of the host. */
  kept(bytes: number): boolean;
}

export class Traffic {
  readonly limits: NetworkLimits;
  #limitHit = false;
  #isClosed = false;
  #out = 0;
  #in = 0;
  readonly #cuts = new Set<() => void>();

  constructor(limits: NetworkLimits) {
    this.limits = limits;
  }

  get limitHit(): boolean {
    return this.#limitHit;
  }

  /** A place among the connections, until the returned function is called. Null if none is free. */
  enter(cut: () => void): (() => void) | null {
    if (this.#isClosed) return null;
    if (this.#cuts.size >= this.limits.connections) {
      this.#limitHit = true;
      return null;
    }
    this.#cuts.add(cut);
    return () => void this.#cuts.delete(cut);
  }

  meter(use: OpenHostUse): Meter {
    const takeIn = (bytes: number, count: "bytesIn" | "bytesKept"): boolean => {
      if (!this.#fits(this.#in + bytes, this.limits.inBytes)) return false;
      this.#in += bytes;
      use[count] += bytes;
      return true;
    };
    return {
      out: (bytes) => {
        if (!this.#fits(this.#out + bytes, this.limits.outBytes)) return false;
        this.#out += bytes;
        use.bytesOut += bytes;
        return true;
      },
      in: (bytes) => takeIn(bytes, "bytesIn"),
      kept: (bytes) => takeIn(bytes, "bytesKept"),
    };
  }

  cut(): void {
    for (const cut of this.#cuts) cut();
  }

  /** Cuts every connection, and lets no other begin. */
  close(): void {
    this.#isClosed = true;
    this.cut();
  }

  /** SECURITY(T63): what a box can send away is bounded, whatever hosts it may reach. */
  #fits(total: number, most: number): boolean {
    if (this.#isClosed) return false;
    if (total <= most) return true;
    this.#limitHit = true;
    this.close();
    return false;
  }
}
