// The part of the record that the page holds. Older entries are added at its end, new ones at its top.
// Invariant: newest first, each entry once, without a gap between the first and the last.

import type { LogPage, LogRow } from "../../src/web/api.ts";

export interface Timeline {
  readonly rows: readonly LogRow[];
  /** New entries that the page does not show yet, so that nothing moves while the person reads. */
  readonly held: readonly LogRow[];
  /** The value of `before` for the next older page; null if there is none. */
  readonly next: number | null;
}

export function firstPage({ entries, next }: LogPage): Timeline {
  return { rows: entries, held: [], next };
}

export function withOlder(timeline: Timeline, { entries, next }: LogPage): Timeline {
  const last = timeline.rows.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  return { ...timeline, rows: [...timeline.rows, ...entries.filter(({ seq }) => seq < last)], next };
}

/** `isHeld`: the person reads further down, so new entries are held until they ask for them. */
export function withNewer(timeline: Timeline, entries: readonly LogRow[], isHeld: boolean): Timeline {
  const newest = newestSeq(timeline);
  const held = [...entries.filter(({ seq }) => seq > newest), ...timeline.held];
  return isHeld ? { ...timeline, held } : releaseHeld({ ...timeline, held });
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
  | { readonly kind: "entry"; readonly key: string; readonly row: LogRow; readonly thread: Thread };

/** Whether the entries above and below belong to the same call. */
export interface Thread {
  readonly above: boolean;
  readonly below: boolean;
}

/** The rows, with a heading before each day. */
export function itemsOf(rows: readonly LogRow[], dayOf: (time: string) => string): TimelineItem[] {
  const items: TimelineItem[] = [];
  let day = "";
  for (const [index, row] of rows.entries()) {
    const itsDay = dayOf(row.time);
    const isNewDay = itsDay !== day;
    if (isNewDay) items.push({ kind: "day", key: `d${itsDay}-${row.seq}`, time: row.time });
    day = itsDay;
    const isOfCall = (other: LogRow | undefined) => row.call_id !== null && other?.call_id === row.call_id;
    const next = rows[index + 1];
    const thread = {
      above: !isNewDay && isOfCall(rows[index - 1]),
      below: isOfCall(next) && dayOf(next?.time ?? "") === itsDay,
    };
    items.push({ kind: "entry", key: `e${row.seq}`, row, thread });
  }
  return items;
}
