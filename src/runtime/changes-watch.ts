// Keeps the list of sessions with work that has not landed, for a program that stays open. It looks into a session again only if the record
// has something new of it, while a program of it runs, and now and then.
// Invariant: looks are made one after another, in the background. Nobody who asks for the list waits for one.

import { limits } from "../shared/limits.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { sessionKey } from "../shared/session-id.ts";
import type { Backend } from "./backend.ts";
import { isSessionTouched, type ListedSession, listSessions, sessionUse } from "./listed-session.ts";
import { type ChangesList, changesOf, type SessionChanges } from "./session-changes.ts";

/** Between two rounds, at least this and twice what the last one took. */
const PAUSE_MS = 500;
/** Drafts come and go without an entry of the record. */
const ROUND_MS = 5_000;
/** A person changes the project without an entry of the record. */
const LOOK_AGAIN_MS = 120_000;

interface Known {
  readonly stamp: string;
  readonly lookedAt: number;
  /** Null if nothing is left to land. */
  readonly row: SessionChanges | null;
}

export class ChangesWatch {
  readonly #backend: Backend;
  readonly #looks = new OneAtATime();
  readonly #known = new Map<string, Known>();
  #more = 0;
  #rounds = 0;
  #version = 0;
  #isLooking = false;
  #isClosed = false;
  #seen = { seq: -1, endedAt: -Infinity, tookMs: 0 };
  #round: Promise<void> = Promise.resolve();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Changes with the list. */
  get version(): string {
    return `${this.#version}`;
  }

  /** False until every session was looked at once. */
  get isComplete(): boolean {
    return this.#rounds > 0;
  }

  /** The newest first. */
  list(): ChangesList {
    const sessions = [...this.#known.values()].flatMap(({ row }) => (row === null ? [] : [row]));
    return { sessions: sessions.sort((a, b) => (a.begun < b.begun ? 1 : -1)), more: this.#more };
  }

  /** Runs work that opens a workspace, after other looks. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#looks.run(work);
  }

  /** Begins a round in the background, if one is due. `seq`: of the newest entry of the record. */
  poll(seq: number): void {
    const now = performance.now();
    const { endedAt, tookMs } = this.#seen;
    const rested = now - endedAt;
    if (this.#isLooking || rested < PAUSE_MS + 2 * tookMs || (seq === this.#seen.seq && rested < ROUND_MS)) return;
    void this.refresh(seq).catch(() => undefined); // a store that is busy is read again in the next round
  }

  /** Looks at what has changed since the last round, and resolves then. */
  refresh(seq = -1): Promise<void> {
    this.#isLooking = true;
    this.#round = this.#round.then(async () => {
      const begun = performance.now();
      try {
        await this.#look();
      } finally {
        const endedAt = performance.now();
        this.#seen = { seq, endedAt, tookMs: endedAt - begun };
        this.#isLooking = false;
      }
    });
    const round = this.#round;
    this.#round = round.catch(() => undefined);
    return round;
  }

  /** Resolves when no look is open any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#round;
    await this.#looks.run(() => Promise.resolve());
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    const { config, store, staged } = this.#backend;
    const counts = new Map((await store.record.sessions()).map((one) => [keyOf(one.agent, one.name), one]));
    const all = listSessions(config.stateDirectory).toReversed();
    const names = new Set(all.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#note(name, null);
    let left = limits.listedSessions;
    let more = 0;
    for (const listed of all) {
      if (this.#isClosed) return;
      const counted = counts.get(keyOf(listed.agent, listed.session));
      const use = sessionUse(config.stateDirectory, listed);
      const stamp = JSON.stringify([listed.begun, use, counted?.calls, counted?.last, staged.version()]);
      if (!this.#isCurrent(listed, stamp, use)) await this.#lookInto(listed, stamp, left > 0);
      if (this.#known.get(listed.name)?.row != null) left -= 1;
      else if (left <= 0 && !this.#known.has(listed.name)) more += 1;
    }
    if (more !== this.#more) this.#version += 1;
    this.#more = more;
    if (this.#rounds === 0) this.#version += 1;
    this.#rounds += 1;
  }

  #isCurrent({ name }: ListedSession, stamp: string, use: SessionChanges["use"]): boolean {
    const known = this.#known.get(name);
    if (known?.stamp !== stamp || use === "running") return false;
    return known.row === null || performance.now() - known.lookedAt < LOOK_AGAIN_MS;
  }

  async #lookInto(listed: ListedSession, stamp: string, hasRoom: boolean): Promise<void> {
    if (!isSessionTouched(this.#backend.config.stateDirectory, listed))
      return this.#note(listed.name, { stamp, lookedAt: performance.now(), row: null });
    if (!hasRoom) return;
    const row = await this.inTurn(() => changesOf(this.#backend, listed));
    this.#note(listed.name, { stamp, lookedAt: performance.now(), row });
  }

  #note(name: string, known: Known | null): void {
    const before = this.#known.get(name)?.row ?? null;
    if (known === null) this.#known.delete(name);
    else this.#known.set(name, known);
    if (JSON.stringify(before) !== JSON.stringify(known?.row ?? null)) this.#version += 1;
  }
}

function keyOf(agent: string | null, name: string): string {
  return sessionKey({ agent: agent ?? "", name });
}
