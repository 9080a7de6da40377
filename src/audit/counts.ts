// Statistics of the record, updated with each new entry and available at any time.
// Invariant: memory grows with names, hours, open calls and durations, not with the content of entries.

import type { EntryLabels } from "./entry.ts";
import type { HourCount, JournalStats, OpenCall, SessionCount } from "./journal.ts";
import { sessionKey } from "../shared/session-id.ts";
import { Ranks } from "./ranks.ts";

/** The parts of an entry that are counted. */
export interface CountedEntry extends EntryLabels {
  /** `outcome.error` of a denied call. */
  readonly error: string | null;
  /** `outcome.duration_s` of a finished call. */
  readonly seconds: number | null;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

export class Counts {
  #entries = 0;
  #calls = 0;
  #firstTime: string | null = null;
  #lastTime: string | null = null;
  readonly #tools = new Map<string, number>();
  readonly #events = new Map<string, number>();
  readonly #decisions = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #durations = new Map<string, Ranks>();
  readonly #open = new Map<string, OpenCall>();
  readonly #hours = new Map<string, Writable<HourCount>>();
  /** The most recent name is last. */
  readonly #sessions = new Map<string, Writable<SessionCount>>();

  add(entry: CountedEntry): void {
    const { time, event, tool, decision, session } = entry;
    this.#entries += 1;
    if (this.#firstTime === null || time < this.#firstTime) this.#firstTime = time;
    if (this.#lastTime === null || time > this.#lastTime) this.#lastTime = time;
    increase(this.#events, event);
    if (decision !== null) increase(this.#decisions, decision);
    if (session !== null) this.#addToSession(session, entry);
    if (event === "tool.call.received") {
      this.#calls += 1;
      if (tool !== null) increase(this.#tools, tool);
      this.#hour(time).calls += 1;
    }
    if (event === "tool.call.denied") {
      increase(this.#refusals, entry.error ?? "unknown");
      this.#hour(time).refused += 1;
    }
    if (event === "tool.call.finished" && entry.seconds !== null)
      made(this.#durations, tool ?? "unknown", () => new Ranks()).add(entry.seconds);
    this.#openOrEnd(entry);
  }

  stats(): JournalStats {
    const durations = [...this.#durations].sort(byName).map(([tool, ranks]) => {
      return [tool, { count: ranks.count, p50_s: ranks.rank(0.5), p95_s: ranks.rank(0.95) }] as const;
    });
    return {
      entries: this.#entries,
      calls: this.#calls,
      first_time: this.#firstTime,
      last_time: this.#lastTime,
      tools: mostFirst(this.#tools),
      events: mostFirst(this.#events),
      decisions: mostFirst(this.#decisions),
      refusals: mostFirst(this.#refusals),
      durations: Object.fromEntries(durations),
      calls_without_end: [...this.#open.values()],
    };
  }

  hours(since: string): HourCount[] {
    const from = hourOf(since);
    return [...this.#hours]
      .filter(([hour]) => hour >= from)
      .sort(byName)
      .map(([, count]) => ({ ...count }));
  }

  sessions(): SessionCount[] {
    return [...this.#sessions.values()].reverse().map((count) => ({ ...count }));
  }

  #hour(time: string): Writable<HourCount> {
    return made(this.#hours, hourOf(time), (hour) => ({ hour, calls: 0, refused: 0 }));
  }

  #addToSession(name: string, { event, agent, time }: CountedEntry): void {
    const key = sessionKey({ agent: agent ?? "", name });
    const session = this.#sessions.get(key) ?? { name, agent, calls: 0, refused: 0, first: time, last: time };
    session.last = time;
    if (event === "tool.call.received") session.calls += 1;
    if (event === "tool.call.denied") session.refused += 1;
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
  }

  #openOrEnd({ call_id, seq, time, session, agent, tool, event }: CountedEntry): void {
    if (call_id === null) return;
    if (event === "tool.call.received") this.#open.set(call_id, { call_id, seq, time, session, agent, tool });
    if (event === "tool.call.denied" || event === "tool.call.finished") this.#open.delete(call_id);
  }
}

/** The hour as the prefix of an ISO time: `2026-01-31T12`. */
function hourOf(time: string): string {
  return time.slice(0, 13);
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function made<T>(all: Map<string, T>, name: string, make: (name: string) => T): T {
  const value = all.get(name) ?? make(name);
  all.set(name, value);
  return value;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

// Tool names come from agents. An assignment would lose the name `__proto__`.
function mostFirst(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || byName(a, b)));
}
