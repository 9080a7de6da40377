// A member of the queue (it watches, waits, owns or answers a question) holds a lease. On its own machine a member is gone
// once its process has ended or its lease was released. From another machine it is gone if it did not renew its lease in time.
// Invariant: a process never counts as dead because of the pids of another machine.

import type { Database } from "./database.ts";

export const leasesTable = "CREATE TABLE IF NOT EXISTS leases (id TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT;";

const renewMs = 10_000;
export const leaseMs = 30_000;
/** No question lasts longer than a day, so a lease that ended that long ago is no longer needed. */
const forgottenMs = 86_400_000;

/** Identifies a process by its pid, start time, pid namespace and boot. All four are needed, because pids are reused. */
export interface Holder {
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
  readonly boot: string;
}

/** What a lease needs of where its member runs. */
export interface MemberHost {
  /** This process, or what stands for it. */
  readonly self: Holder;
  /** Whether the holder runs; null if that cannot be known here. */
  isRunning(holder: Holder): boolean | null;
  /** Does the work again and again, without keeping a process alive for it. Returns what ends that. */
  every(ms: number, work: () => void): () => void;
}

/** Stored in the rows that a member holds. `lease` is null if a version without leases wrote the row. */
export interface Member extends Holder {
  readonly lease: string | null;
}

export class Leases {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #self: Member;
  readonly #text: string;
  readonly #host: MemberHost;
  /** Ends the renewals; null while no lease is held. */
  #stop: (() => void) | null = null;

  constructor(database: Database, now: () => number, host: MemberHost) {
    const { pid, started, namespace, boot } = host.self;
    this.#database = database;
    this.#now = now;
    this.#host = host;
    this.#self = { pid, started, namespace, boot, lease: crypto.randomUUID() };
    this.#text = JSON.stringify(this.#self);
  }

  /** This member. Its lease starts with the first call. */
  hold(): Member {
    if (this.#stop === null) {
      this.renew();
      this.#database.prepare("DELETE FROM leases WHERE until < ?").run(this.#now() - forgottenMs);
      this.#stop = this.#host.every(renewMs, () => this.#renewIfPossible());
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
    const isRunning = this.#host.isRunning(member);
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
    if (this.#stop === null) return;
    this.#stop();
    this.#stop = null;
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
