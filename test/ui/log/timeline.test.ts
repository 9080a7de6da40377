import assert from "node:assert/strict";
import test from "node:test";
import type { CallRow, LogPage, LogRow } from "../../../src/web/api.ts";
import {
  firstPage,
  itemsOf,
  newestSeq,
  releaseHeld,
  rowCount,
  type Timeline,
  withNewer,
  withOlder,
} from "../../../ui/log/timeline.ts";

function row(seq: number, more: Partial<LogRow> = {}): LogRow {
  const time = new Date(Date.UTC(2026, 0, 1, 0, seq)).toISOString();
  return {
    seq,
    time,
    session: "s",
    agent: "a",
    call_id: `c${seq}`,
    event: "tool.call.received",
    tool: "Bash",
    decision: null,
    summary: "",
    ...more,
  };
}

const rows = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => row(from - index));
const seqs = (list: readonly LogRow[]) => list.map(({ seq }) => seq);

function call(last: number, more: Partial<CallRow> = {}): CallRow {
  const event = "tool.call.finished";
  const common = { tool: "Bash", agent: "a", asked: "", decision: null, is_asked: false, outcome: "", took_ms: null };
  return { ...common, event, last, ...more };
}

function page(entries: readonly LogRow[], next: number | null = null): LogPage {
  const known = entries.toReversed().flatMap(({ call_id: id, seq }) => (id === null ? [] : [[id, call(seq)] as const]));
  return { entries, calls: Object.fromEntries(known), next };
}

test("older pages join at the end, each entry once", () => {
  const timeline = withOlder(firstPage(page(rows(9, 6), 6)), page(rows(6, 3)));
  assert.deepEqual(seqs(timeline.rows), [9, 8, 7, 6, 5, 4, 3]);
  assert.equal(timeline.next, null);
});

test("new entries join at the top, or wait while someone reads", () => {
  const start = firstPage(page(rows(3, 1)));
  assert.deepEqual(seqs(withNewer(start, page(rows(5, 2)), false).rows), [5, 4, 3, 2, 1]);
  const waiting = withNewer(withNewer(start, page(rows(5, 4)), true), page(rows(7, 5)), true);
  assert.deepEqual([seqs(waiting.rows), seqs(waiting.held), newestSeq(waiting)], [[3, 2, 1], [7, 6, 5, 4], 7]);
  const shown = releaseHeld(waiting);
  assert.deepEqual([seqs(shown.rows), shown.held, newestSeq(shown)], [[7, 6, 5, 4, 3, 2, 1], [], 7]);
  assert.deepEqual(seqs(withNewer(waiting, page(rows(8, 8)), false).rows), [8, 7, 6, 5, 4, 3, 2, 1]);
});

test("a call that goes on says so in its place; a late page that knows less of it changes nothing", () => {
  const start = firstPage(page([row(3, { call_id: "b" }), row(2, { call_id: "a" })]));
  const waiting = withNewer(start, page([row(5, { call_id: "a" })]), true);
  assert.deepEqual([seqs(waiting.rows), rowCount(waiting.held), waiting.calls.get("a")?.last], [[3, 2], 1, 5]);
  const late = withOlder(waiting, page([row(1, { call_id: "a" })]));
  assert.equal(late.calls.get("a")?.last, 5);
  const keys = (timeline: Timeline) => itemsOf(timeline, new Map(), () => "day").map(({ key }) => key);
  assert.deepEqual(keys(late), ["dday-3", "cb", "ca"]);
  assert.deepEqual(keys(releaseHeld(late)), ["dday-5", "ca", "cb"]);
});

test("a call is one row at its newest entry; each day has one heading; what has no call stands alone", () => {
  const timeline = firstPage(
    page([
      row(7, { call_id: "b", time: "2026-01-02T11:00:00.000Z" }),
      row(6, { call_id: "c", time: "2026-01-02T10:00:00.000Z" }),
      row(5, { call_id: "b", time: "2026-01-02T09:00:00.000Z" }),
      row(4, { call_id: "b", time: "2026-01-01T09:00:00.000Z" }),
      row(3, { call_id: null, time: "2026-01-01T08:00:00.000Z" }),
      row(2, { call_id: null, time: "2026-01-01T07:00:00.000Z" }),
    ]),
  );
  const look = (open: Parameters<typeof itemsOf>[1]) =>
    itemsOf(timeline, open, (time) => time.slice(0, 10)).map((item) => {
      if (item.kind === "day") return item.time.slice(0, 10);
      if (item.kind === "call") return [item.of.id, ...seqs(item.of.rows), item.isOpen];
      return item.kind === "entry" ? [item.row.seq, item.thread] : `more of ${item.id}`;
    });
  const alone = ["2026-01-01", [3, null], [2, null]];
  assert.deepEqual(look(new Map()), ["2026-01-02", ["b", 7, 5, 4, false], ["c", 6, false], ...alone]);
  const inside = { rows: [row(4, { call_id: "b" }), row(5, { call_id: "b" }), row(7, { call_id: "b" })], isCut: false };
  const opened = [
    [4, "inside"],
    [5, "inside"],
    [7, "last"],
  ];
  assert.deepEqual(look(new Map([["b", inside]])), [
    "2026-01-02",
    ["b", 7, 5, 4, true],
    ...opened,
    ["c", 6, false],
    ...alone,
  ]);
  const cut = look(new Map([["b", { ...inside, isCut: true }]]));
  assert.deepEqual(cut.slice(2, 4), ["more of b", [4, "inside"]]);
  const keys = itemsOf(timeline, new Map([["b", inside]]), (time) => time.slice(0, 10)).map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
});
