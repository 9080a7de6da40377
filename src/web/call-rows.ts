// Sums up the calls of one page of the log. The entries of a call may lie on other pages, so they are read by the call's id.
// Invariant: the work for a call is bounded, however many entries it has.

import type { RecordReader } from "../approval/shared-store.ts";
import type { Entry, EntryEvent } from "../audit/entry.ts";
import { argsSummary, askedSummary, outcomeSummary } from "../audit/entry-text.ts";
import { displayText } from "../shared/display.ts";
import { limits } from "../shared/limits.ts";
import type { CallRow } from "./api.ts";

/** The entries of a call that are read, if it has so many: what was asked and decided, and how it stands. Most calls have fewer. */
const read = { newest: 16, oldest: 8 };

export async function callRows(
  record: RecordReader,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<Record<string, CallRow>> {
  const ids = new Set(entries.flatMap(({ call_id }) => (call_id === null ? [] : [call_id])));
  const rows: [string, CallRow][] = [];
  for (const id of ids) {
    const newest: Entry[] = [];
    for await (const entry of record.list({ call_id: id, limit: read.newest }, signal)) newest.push(entry);
    const oldest: Entry[] = [];
    if (newest.length === read.newest)
      for await (const entry of record.list({ call_id: id, limit: read.oldest, order: "oldest" }, signal))
        oldest.unshift(entry);
    const known = [...newest, ...oldest];
    const [last, first] = [known[0], known.at(-1)];
    if (last !== undefined && first !== undefined) rows.push([id, callRow(first, last, known)]);
  }
  return Object.fromEntries(rows);
}

const severities = ["low", "medium", "high"] as const;

/** The severity of a question. */
export function severityOf(entry: Entry): (typeof severities)[number] | undefined {
  return severities.find((one) => one === askedSummary(entry)?.severity);
}

const ends: readonly EntryEvent[] = ["tool.call.finished", "tool.call.denied"];
/** A host has a decision too, which is not that of the call. */
const decides: readonly EntryEvent[] = ["tool.call.dispatched", "tool.call.denied", "approval.requested"];
/** What a call does meanwhile, such as use a host, does not say how it stands. */
const stands: readonly EntryEvent[] = [
  "tool.call.received",
  "tool.call.dispatched",
  "approval.requested",
  "approval.answered",
  "approval.timeout",
];

/** `known`: newest first. */
function callRow(first: Entry, last: Entry, known: readonly Entry[]): CallRow {
  const end = known.find(({ event }) => ends.includes(event));
  const standing = end ?? known.find(({ event }) => stands.includes(event)) ?? last;
  const severity = severityOf(standing);
  // The question says what the row says anyway, and the row has a time of its own.
  const outcome = standing.event === "approval.requested" ? "" : (outcomeSummary(standing, { isTimed: false }) ?? "");
  const isCall = first.event === "tool.call.received";
  return {
    tool: first.tool,
    agent: first.agent,
    asked: isCall ? line(argsSummary(first)) : "",
    decision: known.find(({ event }) => decides.includes(event))?.decision ?? null,
    is_asked: known.some(({ event }) => event.startsWith("approval.")),
    event: standing.event,
    outcome: line(outcome),
    ...(severity === undefined ? {} : { severity }),
    took_ms: end === undefined ? null : Date.parse(end.time) - Date.parse(first.time),
    last: last.seq,
  };
}

function line(text: string): string {
  return displayText(text, { maxLength: limits.logSummaryCharacters });
}
