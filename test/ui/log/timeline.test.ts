import assert from "node:assert/strict";
import test from "node:test";
import type { LogRow } from "../../../src/web/api.ts";
import { firstPage, itemsOf, newestSeq, releaseHeld, withNewer, withOlder } from "../../../ui/log/timeline.ts";

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

test("older pages join at the end, each entry once", () => {
  const timeline = withOlder(firstPage({ entries: rows(9, 6), next: 6 }), { entries: rows(6, 3), next: null });
  assert.deepEqual(seqs(timeline.rows), [9, 8, 7, 6, 5, 4, 3]);
  assert.equal(timeline.next, null);
});

test("new entries join at the top, or wait while someone reads", () => {
  const start = firstPage({ entries: rows(3, 1), next: null });
  assert.deepEqual(seqs(withNewer(start, rows(5, 2), false).rows), [5, 4, 3, 2, 1]);
  const waiting = withNewer(withNewer(start, rows(5, 4), true), rows(7, 5), true);
  assert.deepEqual([seqs(waiting.rows), seqs(waiting.held), newestSeq(waiting)], [[3, 2, 1], [7, 6, 5, 4], 7]);
  const shown = releaseHeld(waiting);
  assert.deepEqual([seqs(shown.rows), shown.held, newestSeq(shown)], [[7, 6, 5, 4, 3, 2, 1], [], 7]);
  assert.deepEqual(seqs(withNewer(waiting, rows(8, 8), false).rows), [8, 7, 6, 5, 4, 3, 2, 1]);
});

test("each day has one heading, and what belongs to the same call hangs together", () => {
  const list = [
    row(6, { call_id: "b", time: "2026-01-02T10:00:00.000Z" }),
    row(5, { call_id: "b", time: "2026-01-02T09:00:00.000Z" }),
    row(4, { call_id: "b", time: "2026-01-01T09:00:00.000Z" }),
    row(3, { call_id: null, time: "2026-01-01T08:00:00.000Z" }),
    row(2, { call_id: null, time: "2026-01-01T07:00:00.000Z" }),
  ];
  const items = itemsOf(list, (time) => time.slice(0, 10));
  assert.deepEqual(
    items.map((item) =>
      item.kind === "day" ? item.time.slice(0, 10) : [item.row.seq, item.thread.above, item.thread.below],
    ),
    [
      "2026-01-02",
      [6, false, true],
      [5, true, false],
      "2026-01-01",
      [4, false, false],
      [3, false, false],
      [2, false, false],
    ],
  );
  assert.equal(new Set(items.map(({ key }) => key)).size, items.length);
});
