// Counts the entries of the log, a slice at a time. Counted entries are not read again.
// Invariant: the counts belong to one log. If its first or last counted entry has changed, everything is counted again.
// Entries that were changed in between are counted as first read; verifying the chain detects the change.

import type { Database, SqlValue } from "./database.ts";
import { type CountedEntry, Counts } from "../audit/counts.ts";
import type { EntryLabels } from "../audit/entry.ts";

/** Takes a few milliseconds. */
const sliceLength = 250;

export interface JournalCounts {
  /** Counts the next entries. True if there may be more. */
  countSlice(): boolean;
  current(): Counts;
}

type Row = readonly SqlValue[];

interface Edge {
  readonly seq: number;
  readonly hash: unknown;
}

export function openCounts(database: Database): JournalCounts {
  const slice = database.prepare(`SELECT seq, time, session, agent, call_id, event, tool, decision,
      ${outcomeField("error", "tool.call.denied")} AS error, ${outcomeField("duration_s", "tool.call.finished")} AS seconds
    FROM entries WHERE seq > ? ORDER BY seq LIMIT ${sliceLength}`);
  slice.setReturnArrays(true); // twice as fast
  const hash = database.prepare("SELECT hash FROM entries WHERE seq = ?");
  const hashAt = (seq: number) => hash.get(seq)?.["hash"];
  const edgeAt = (seq: number): Edge => ({ seq, hash: hashAt(seq) });
  const isThere = (edge: Edge) => hashAt(edge.seq) === edge.hash;

  let counts = new Counts();
  let counted: { readonly first: Edge; readonly last: Edge } | null = null;
  const isSameLog = () => counted === null || (isThere(counted.first) && isThere(counted.last));

  return {
    current: () => counts,
    countSlice() {
      if (!isSameLog()) [counts, counted] = [new Counts(), null];
      const rows = slice.all(counted?.last.seq ?? Number.MIN_SAFE_INTEGER) as unknown as Row[];
      for (const row of rows) counts.add(countedEntry(row));
      const [first, last] = [rows[0], rows.at(-1)];
      if (first !== undefined && last !== undefined)
        counted = { first: counted?.first ?? edgeAt(Number(first[0])), last: edgeAt(Number(last[0])) };
      return rows.length === sliceLength;
    },
  };
}

function outcomeField(name: string, event: string): string {
  return `CASE WHEN event = '${event}' AND json_valid(outcome) THEN json_extract(outcome, '$.${name}') END`;
}

function countedEntry([seq, time, session, agent, call_id, event, tool, decision, error, seconds]: Row): CountedEntry {
  return {
    ...({ seq, time, session, agent, call_id, event, tool, decision } as EntryLabels),
    error: typeof error === "string" ? error : null,
    seconds: typeof seconds === "number" ? seconds : null,
  };
}
