// Which entries the timeline shows: kept in the address, so that a view can be gone back to and passed on.
// Invariant: the same filter is the same address, and the address is what the server is asked with.

import { entryEvents, type EntryEvent } from "../../src/audit/entry.ts";

export interface LogFilter {
  readonly text: string;
  readonly tool: string;
  readonly event: EntryEvent | "";
  readonly agent: string;
  readonly session: string;
  /** As `<input type="datetime-local">` writes it, on this machine's clock; or `1h`, `24h`, `7d`: that long ago. */
  readonly since: string;
  readonly until: string;
}

export const noFilter: LogFilter = { text: "", tool: "", event: "", agent: "", session: "", since: "", until: "" };

const names = ["text", "tool", "event", "agent", "session", "since", "until"] as const;
const LONGEST = 500;

export function readFilter(query: string): LogFilter {
  const given = new URLSearchParams(query);
  const read: Record<string, string> = {};
  for (const name of names) read[name] = (given.get(name) ?? "").slice(0, LONGEST);
  const event = entryEvents.find((known) => known === read["event"]) ?? "";
  return { ...noFilter, ...read, event, since: timeWords(read["since"]), until: timeWords(read["until"]) };
}

/** Without what is empty, in one order. */
export function filterQuery(filter: LogFilter): string {
  const query = new URLSearchParams();
  for (const name of names) if (filter[name] !== "") query.set(name, filter[name]);
  return query.toString();
}

export function isFiltered(filter: LogFilter): boolean {
  return names.some((name) => filter[name] !== "");
}

/** What the server is asked for: as in the address, with times in the record's own form. */
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

/** The ISO time that is meant; null: none is. */
export function recordTime(text: string, now: number): string | null {
  const ago = /^(\d{1,4})([mhd])$/.exec(text);
  const ms = ago === null ? Date.parse(text) : now - Number(ago[1]) * (units[ago[2] as string] as number);
  return text === "" || Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function timeWords(text: string | undefined): string {
  return text !== undefined && recordTime(text, 0) !== null ? text : "";
}
