// Selects the entries of the timeline. The address holds the filter, so that a person can return to a view or share it.
// Invariant: equal filters have equal addresses, and the page sends the filter of the address to the server.

import { entryEvents, type EntryEvent } from "../../src/audit/entry.ts";

export interface LogFilter {
  readonly text: string;
  readonly tool: string;
  readonly event: EntryEvent | "";
  readonly agent: string;
  readonly session: string;
  /** The format of `<input type="datetime-local">`, in local time; or `1h`, `24h`, `7d` for that long ago. */
  readonly since: string;
  readonly until: string;
}

export const noFilter: LogFilter = { text: "", tool: "", event: "", agent: "", session: "", since: "", until: "" };

const names = ["text", "tool", "event", "agent", "session", "since", "until"] as const;
const LONGEST = 500;

export function readFilter(query: string): LogFilter {
  const parameters = new URLSearchParams(query);
  const read: Record<string, string> = {};
  for (const name of names) read[name] = (parameters.get(name) ?? "").slice(0, LONGEST);
  const event = entryEvents.find((known) => known === read["event"]) ?? "";
  return { ...noFilter, ...read, event, since: timeWords(read["since"]), until: timeWords(read["until"]) };
}

/** Leaves empty fields out, and keeps one order. */
export function filterQuery(filter: LogFilter): string {
  const query = new URLSearchParams();
  for (const name of names) if (filter[name] !== "") query.set(name, filter[name]);
  return query.toString();
}

export function isFiltered(filter: LogFilter): boolean {
  return names.some((name) => filter[name] !== "");
}

/** The query for the server: as in the address, with times in the format of the record. */
export function requestQuery(
  filter: LogFilter,
  page: { before?: number; after?: number; limit: number },
  now: number,
): string {
  const query = new URLSearchParams(filterQuery(filter));
  for (const name of ["since", "until"] as const) {
    const time = recordTime(filter[name], now);
    if (time === null) query.delete(name);
    else query.set(name, time);
  }
  for (const name of ["before", "after", "limit"] as const)
    if (page[name] !== undefined) query.set(name, String(page[name]));
  return query.toString();
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The ISO time of the text; null if it is not a time. */
export function recordTime(text: string, now: number): string | null {
  const ago = /^(\d{1,4})([mhd])$/.exec(text);
  const ms = ago === null ? Date.parse(text) : now - Number(ago[1]) * (units[ago[2] as string] as number);
  return text === "" || Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function timeWords(text: string | undefined): string {
  return text !== undefined && recordTime(text, 0) !== null ? text : "";
}
