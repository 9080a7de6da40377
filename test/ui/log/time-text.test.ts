import assert from "node:assert/strict";
import test from "node:test";
import {
  agoText,
  bytesText,
  clockText,
  countText,
  dayOf,
  dayText,
  momentText,
  spanText,
} from "../../../ui/log/time-text.ts";

const at = (text: string) => new Date(text).toISOString();
const now = Date.parse(at("2026-03-04T12:00:00"));

test("lengths of time are said in the units that matter", () => {
  for (const [ms, text] of [
    [0, "0 ms"],
    [14.2, "14 ms"],
    [999.6, "1.0 s"],
    [2_140, "2.1 s"],
    [9_960, "10 s"],
    [59_400, "59 s"],
    [59_600, "1 min"],
    [184_000, "3 min 4 s"],
    [7_500_000, "2 h 5 min"],
    [3 * 86_400_000, "3 days"],
    [-5, "0 ms"],
    [Number.NaN, "?"],
  ] as const)
    assert.equal(spanText(ms), text);
});

test("days and times are those of this machine's clock", () => {
  assert.equal(clockText(at("2026-03-04T09:08:07")), "09:08:07");
  assert.equal(dayOf(at("2026-03-04T23:59:59")), "2026-03-04");
  assert.equal(dayText(at("2026-03-04T00:00:01"), now), "Today, Wednesday 4 March");
  assert.equal(dayText(at("2026-03-03T23:59:00"), now), "Yesterday, Tuesday 3 March");
  assert.equal(dayText(at("2025-12-31T10:00:00"), now), "Wednesday 31 December 2025");
  assert.equal(momentText(at("2026-03-04T09:08:07"), now), "today 09:08:07");
  assert.equal(agoText(at("2026-03-04T11:59:30"), now), "just now");
  assert.equal(agoText(at("2026-03-04T11:59:00"), now), "1 minute ago");
  assert.equal(agoText(at("2026-03-02T11:00:00"), now), "2 days ago");
  for (const text of [clockText("soon"), dayOf("soon")]) assert.equal(text, "?");
});

test("sizes and counts can be read", () => {
  assert.deepEqual([0, 1, 999, 1_000, 99_950, 262_144, 5_300_000].map(bytesText), [
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1.0 KB",
    "100 KB",
    "262 KB",
    "5.3 MB",
  ]);
  assert.equal(countText(1_234_567), "1,234,567");
});
