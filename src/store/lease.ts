// Who is in the queue (watches, waits, owns a question, answers one) holds a lease there. On its own machine a member is
// gone once its process is, or its lease was given back; from elsewhere it is gone when its lease was not renewed in time.
// Invariant: no process is taken for dead because of another machine's process numbers.

import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type Holder, isRunningHere, thisProcess } from "./holder.ts";

export const leasesTable = "CREATE TABLE IF NOT EXISTS leases (id TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT;";

const renewMs = 10_000;
export const leaseMs = 30_000;
/** No question lasts longer than a day: who was not heard of for that long is asked about by nobody. */
const forgottenMs = 86_400_000;

/** Stands in the rows of what a member holds. `lease` is null where a version without leases wrote it. */
export interface Member extends Holder {
  readonly lease: string | null;
}

export class Leases {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #self: Member;
  readonly #text: string;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: DatabaseSync, now: () => number, { pid, started, namespace, boot }: Holder = thisProcess()) {
    this.#database = database;
    this.#now = now;
    this.#self = { pid, started, namespace, boot, lease: randomUUID() };
    this.#text = JSON.stringify(this.#self);
  }

  /** This member, with a lease from now on. */
  hold(): Member {
    if (this.#timer === null) {
      this.renew();
      this.#database.prepare("DELETE FROM leases WHERE until < ?").run(this.#now() - forgottenMs);
      this.#timer = setInterval(() => this.#renewIfPossible(), renewMs).unref();
    }
    return this.#self;
  }

  /** The same as text, for a column. */
  holdAsText(): string {
    this.hold();
    return this.#text;
  }

  isAlive(member: Member): boolean {
    if (member.lease === this.#self.lease) return true;
    const isRunning = isRunningHere(member, this.#self);
    if (member.lease === null) return isRunning ?? member.boot === this.#self.boot;
    if (isRunning === false) return false;
    const row = this.#database.prepare("SELECT until FROM leases WHERE id = ?").get(member.lease);
    // A machine that slept finds every lease run out; its processes are there all the same.
    return row !== undefined && (isRunning === true || Number(row["until"]) > this.#now());
  }

  isTextAlive(text: string): boolean {
    return text === this.#text || this.isAlive({ lease: null, ...(JSON.parse(text) as Holder) });
  }

  release(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#database.prepare("DELETE FROM leases WHERE id = ?").run(this.#self.lease);
  }

  renew(): void {
    this.#database
      .prepare("INSERT INTO leases VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until")
      .run(this.#self.lease, this.#now() + leaseMs);
  }

  /** A store that is busy or full is asked again before the lease has run out. */
  #renewIfPossible(): void {
    try {
      if (this.#database.isOpen) this.renew();
    } catch {}
  }
}
