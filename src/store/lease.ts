// A member of the queue (it watches, waits, owns or answers a question) holds a lease. On its own machine a member is gone
// once its process has ended or its lease was released. From another machine it is gone if it did not renew its lease in time.
// Invariant: a process never counts as dead because of the pids of another machine.

import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type Holder, isRunningHere, thisProcess } from "./holder.ts";

export const leasesTable = "CREATE TABLE IF NOT EXISTS leases (id TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT;";

const renewMs = 10_000;
export const leaseMs = 30_000;
/** No question lasts longer than a day, so a lease that ended that long ago is no longer needed. */
const forgottenMs = 86_400_000;

/** Stored in the rows that a member holds. `lease` is null if a version without leases wrote the row. */
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

  /** This member. Its lease starts with the first call. */
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
    // After a machine slept, every lease has expired although its processes still run.
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

  /** If the store is busy or full, the next renewal comes before the lease expires. */
  #renewIfPossible(): void {
    try {
      if (this.#database.isOpen) this.renew();
    } catch {}
  }
}
