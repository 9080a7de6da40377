// The part of the record that the page holds. Older entries are added at its end, new ones at its top.
// Invariant: newest first, each entry once, without a gap between the first and the last.

import type { CallRow, LogPage, LogRow } from "../../src/web/api.ts";

export interface Timeline {
  readonly rows: readonly LogRow[];
  /** The calls of all entries, held ones too: a call that goes on while the person reads says so in its place. */
  readonly calls: ReadonlyMap<string, CallRow>;
  /** New entries that the page does not show yet, so that nothing moves while the person reads. */
  readonly held: readonly LogRow[];
  /** The value of `before` for the next older page; null if there is none. */
  readonly next: number | null;
}

export function firstPage({ entries, calls, next }: LogPage): Timeline {
  return { rows: entries, calls: new Map(Object.entries(calls)), held: [], next };
}

export function withOlder(timeline: Timeline, { entries, calls, next }: LogPage): Timeline {
  const last = timeline.rows.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  const rows = [...timeline.rows, ...entries.filter(({ seq }) => seq < last)];
  return { ...timeline, rows, calls: withCalls(timeline, calls), next };
}

/** `isHeld`: the person reads further down, so new entries are held until they ask for them. */
export function withNewer(
  timeline: Timeline,
  { entries, calls }: Pick<LogPage, "entries" | "calls">,
  isHeld: boolean,
): Timeline {
  const newest = newestSeq(timeline);
  const held = [...entries.filter(({ seq }) => seq > newest), ...timeline.held];
  const next = { ...timeline, held, calls: withCalls(timeline, calls) };
  return isHeld ? next : releaseHeld(next);
}

/** The pages may arrive in any order; the one that knows more of a call counts. */
function withCalls(timeline: Timeline, calls: LogPage["calls"]): ReadonlyMap<string, CallRow> {
  const merged = new Map(timeline.calls);
  for (const [id, call] of Object.entries(calls)) if (call.last >= (merged.get(id)?.last ?? 0)) merged.set(id, call);
  return merged;
}

export function releaseHeld(timeline: Timeline): Timeline {
  return timeline.held.length === 0 ? timeline : { ...timeline, rows: [...timeline.held, ...timeline.rows], held: [] };
}

/** 0 if the timeline is empty. */
export function newestSeq({ rows, held }: Timeline): number {
  return held[0]?.seq ?? rows[0]?.seq ?? 0;
}

export type TimelineItem =
  | { readonly kind: "day"; readonly key: string; readonly time: string }
  | {
      readonly kind: "call";
      readonly key: string;
      readonly call: CallRow;
      readonly of: CallEntries;
      readonly isOpen: boolean;
    }
  /** `thread`: the place in an open call; null for an entry without a call. */
  | { readonly kind: "entry"; readonly key: string; readonly row: LogRow; readonly thread: "inside" | "last" | null }
  | { readonly kind: "more"; readonly key: string; readonly id: string };

/** The entries of a call that the page holds, newest first. With a filter these are the ones that match. */
export interface CallEntries {
  readonly id: string;
  readonly rows: readonly [LogRow, ...LogRow[]];
}

/** What an open call shows: its entries in order. `isCut`: it has older ones. */
export interface OpenCall {
  readonly rows: readonly LogRow[];
  readonly isCut: boolean;
}

/** The number of rows that the entries take while every call is closed. */
export function rowCount(rows: readonly LogRow[]): number {
  return new Set(rows.map(({ call_id, seq }) => call_id ?? seq)).size;
}

/** A row for each call, at the place of its newest entry, and one for each other entry; with a heading before each day. */
export function itemsOf(
  { rows, calls }: Pick<Timeline, "rows" | "calls">,
  open: ReadonlyMap<string, OpenCall>,
  dayOf: (time: string) => string,
): TimelineItem[] {
  const ofCall = new Map<string, [LogRow, ...LogRow[]]>();
  const items: TimelineItem[] = [];
  let day = "";
  for (const row of rows) {
    const id = row.call_id;
    const known = id === null ? undefined : ofCall.get(id);
    if (known !== undefined) {
      known.push(row);
      continue;
    }
    const itsDay = dayOf(row.time);
    if (itsDay !== day) items.push({ kind: "day", key: `d${itsDay}-${row.seq}`, time: row.time });
    day = itsDay;
    const call = id === null ? undefined : calls.get(id);
    if (id === null || call === undefined) {
      items.push({ kind: "entry", key: `e${row.seq}`, row, thread: null });
      continue;
    }
    const ownRows: [LogRow, ...LogRow[]] = [row];
    ofCall.set(id, ownRows);
    const inside = open.get(id);
    items.push({ kind: "call", key: `c${id}`, call, of: { id, rows: ownRows }, isOpen: inside !== undefined });
    if (inside?.isCut === true) items.push({ kind: "more", key: `m${id}`, id });
    for (const [index, entry] of (inside?.rows ?? []).entries()) {
      const thread = index === (inside?.rows.length ?? 0) - 1 ? "last" : "inside";
      items.push({ kind: "entry", key: `e${entry.seq}`, row: entry, thread });
    }
  }
  return items;
}
