// The record as the rest of the program uses it: append, read, verify. The store decides where it is kept.
// Invariant: `append` returns only when the entry is in the log, and throws a JournalFault otherwise: no record, no run.

import type { Verification } from "./chain.ts";
import type { Entry, EntryDraft, EntryEvent } from "./entry.ts";

export interface AppendOptions {
  /** True: the entry survives a power cut once `append` has returned. Otherwise it survives only a killed process. */
  readonly durable?: boolean | undefined;
}

export interface EntryFilter {
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  readonly event?: EntryEvent | undefined;
  readonly call_id?: string | undefined;
  /** ISO times, compared as text; a date alone means its first moment. `until` is exclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** A case-insensitive search in the whole content. */
  readonly text?: string | undefined;
  /** Only entries before or after this number, for paging. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
  readonly order?: "newest" | "oldest" | undefined;
}

export interface OpenCall {
  readonly call_id: string;
  readonly seq: number;
  readonly time: string;
  readonly session: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
}

export interface DurationStats {
  readonly count: number;
  readonly p50_s: number;
  readonly p95_s: number;
}

export interface JournalStats {
  readonly entries: number;
  readonly calls: number;
  readonly first_time: string | null;
  readonly last_time: string | null;
  /** Calls received, by tool. */
  readonly tools: Readonly<Record<string, number>>;
  readonly events: Readonly<Record<string, number>>;
  readonly decisions: Readonly<Record<string, number>>;
  /** Denied calls, by their `outcome.error`. */
  readonly refusals: Readonly<Record<string, number>>;
  /** From `outcome.duration_s` of finished calls, by tool. */
  readonly durations: Readonly<Record<string, DurationStats>>;
  /** Calls that were received and neither denied nor finished: still running, or killed with the gate. */
  readonly calls_without_end: readonly OpenCall[];
}

/** Calls received and refused in one hour. The hour is the prefix of an ISO time: `2026-01-31T12`. */
export interface HourCount {
  readonly hour: string;
  readonly calls: number;
  readonly refused: number;
}

export interface SessionCount {
  readonly name: string;
  /** The agent of the session. The same name with another agent is another session. */
  readonly agent: string | null;
  readonly calls: number;
  readonly refused: number;
  readonly first: string;
  readonly last: string;
}

export interface Journal {
  append(draft: EntryDraft, options?: AppendOptions): Entry;
  /** Newest first by default. Pages are read while the result is consumed. */
  list(filter?: EntryFilter): Iterable<Entry>;
  /** Like `list`, always newest first. It searches in slices and yields to other work in between, until `signal` aborts. */
  search(filter?: Omit<EntryFilter, "order">, signal?: AbortSignal): AsyncIterable<Entry>;
  /** All, oldest first. */
  entries(): Iterable<Entry>;
  entry(seq: number): Entry | undefined;
  /** Everything about one call, in order. */
  story(callId: string): Entry[];
  /** Counts new entries in slices, so that the next three methods have little left to count at once. */
  count(): Promise<void>;
  stats(): JournalStats;
  /** The hours with at least one call, from the hour of this ISO time on, oldest first. */
  hours(since: string): readonly HourCount[];
  /** Newest first. */
  sessions(): readonly SessionCount[];
  /** The number of the newest entry; 0 if there is none. */
  lastSeq(): number;
  verify(): Verification;
  /** One JSON line per entry, oldest first by default. */
  exportLines(filter?: EntryFilter): Iterable<string>;
  close(): void;
}

/** The record cannot be used. This is thrown, and nothing starts. */
export class JournalFault extends Error {
  readonly hint: string | undefined;

  constructor(message: string, details: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = "JournalFault";
    this.hint = details.hint;
  }
}
