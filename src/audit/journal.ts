// The record as the rest of the program sees it: append, read, verify. Where it is kept is the store's matter.
// Invariant: `append` returns only when the entry is in the log, and throws a JournalFault otherwise: no record, no run.

import type { Verification } from "./chain.ts";
import type { Entry, EntryDraft, EntryEvent } from "./entry.ts";

export interface AppendOptions {
  /** True: the entry survives a power cut once `append` returns. Otherwise it survives a killed process. */
  readonly durable?: boolean | undefined;
}

export interface EntryFilter {
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  readonly event?: EntryEvent | undefined;
  readonly call_id?: string | undefined;
  /** ISO times, compared as text: a date alone means its beginning. `until` is not included. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Found anywhere in what was said, upper and lower case alike. */
  readonly text?: string | undefined;
  /** Only entries before, or after, this number: the next page. */
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
  /** Received, and since then neither denied nor finished: still running, or killed with the gate. */
  readonly calls_without_end: readonly OpenCall[];
}

/** Calls received and refused in one hour, which is named as its ISO time begins: `2026-01-31T12`. */
export interface HourCount {
  readonly hour: string;
  readonly calls: number;
  readonly refused: number;
}

export interface SessionCount {
  readonly name: string;
  /** Whose it is: the same name of another agent is another session. */
  readonly agent: string | null;
  readonly calls: number;
  readonly refused: number;
  readonly first: string;
  readonly last: string;
}

export interface Journal {
  append(draft: EntryDraft, options?: AppendOptions): Entry;
  /** Newest first unless told; read page by page while it is consumed. */
  list(filter?: EntryFilter): Iterable<Entry>;
  /** As `list`, always newest first; searched in slices, with a turn for everything else in between, until `signal`. */
  search(filter?: Omit<EntryFilter, "order">, signal?: AbortSignal): AsyncIterable<Entry>;
  /** All, oldest first. */
  entries(): Iterable<Entry>;
  entry(seq: number): Entry | undefined;
  /** Everything about one call, in order. */
  story(callId: string): Entry[];
  /** Counts in slices what is new since the last time: then the next three have little left to count at one go. */
  count(): Promise<void>;
  stats(): JournalStats;
  /** Of the hours that had any call, from the one that this ISO time is in, oldest first. */
  hours(since: string): readonly HourCount[];
  /** Newest first. */
  sessions(): readonly SessionCount[];
  /** The number of the newest entry; 0: there is none. */
  lastSeq(): number;
  verify(): Verification;
  /** One JSON line an entry, oldest first unless told. */
  exportLines(filter?: EntryFilter): Iterable<string>;
  close(): void;
}

/** The record is broken: thrown, and always means that nothing starts. */
export class JournalFault extends Error {
  readonly hint: string | undefined;

  constructor(message: string, details: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = "JournalFault";
    this.hint = details.hint;
  }
}
