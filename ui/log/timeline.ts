// The part of the record that the page holds: older entries join at its end, new ones at its top.
// Invariant: newest first, each entry once, without a gap between the first and the last.

import type { LogPage, LogRow } from "../../src/web/api.ts";

export interface Timeline {
  readonly rows: readonly LogRow[];
  /** New ones that wait above, so that nothing moves under someone who reads. */
  readonly held: readonly LogRow[];
  /** Send as `before` for older ones; null: that was all. */
  readonly next: number | null;
}

export function firstPage({ entries, next }: LogPage): Timeline {
  return { rows: entries, held: [], next };
}

export function withOlder(timeline: Timeline, { entries, next }: LogPage): Timeline {
  const last = timeline.rows.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  return { ...timeline, rows: [...timeline.rows, ...entries.filter(({ seq }) => seq < last)], next };
}

/** `isHeld`: someone reads further down; they wait until asked for. */
export function withNewer(timeline: Timeline, entries: readonly LogRow[], isHeld: boolean): Timeline {
  const newest = newestSeq(timeline);
  const held = [...entries.filter(({ seq }) => seq > newest), ...timeline.held];
  return isHeld ? { ...timeline, held } : releaseHeld({ ...timeline, held });
}

export function releaseHeld(timeline: Timeline): Timeline {
  return timeline.held.length === 0 ? timeline : { ...timeline, rows: [...timeline.held, ...timeline.rows], held: [] };
}

/** 0: it holds none. */
export function newestSeq({ rows, held }: Timeline): number {
  return held[0]?.seq ?? rows[0]?.seq ?? 0;
}

export type TimelineItem =
  | { readonly kind: "day"; readonly key: string; readonly time: string }
  | { readonly kind: "entry"; readonly key: string; readonly row: LogRow; readonly thread: Thread };

/** Whether the entry above, and the one below, are of the same call. */
export interface Thread {
  readonly above: boolean;
  readonly below: boolean;
}

/** The rows with a heading before each day. */
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
