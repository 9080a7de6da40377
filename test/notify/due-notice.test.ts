// When a channel is due, and what its next notice is about.

import assert from "node:assert/strict";
import test from "node:test";
import type { Severity } from "../../src/approval/approver.ts";
import type { ChannelState } from "../../src/approval/notices.ts";
import type { QueuedQuestion } from "../../src/approval/shared-store.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { dueNotice } from "../../src/notify/due-notice.ts";
import { firstLoudTime, parseQuietHours } from "../../src/notify/quiet-hours.ts";
import { questionAbout } from "../fixtures/approver.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

const SECOND = 1_000;
const noon = new Date(2026, 0, 15, 12, 0).getTime();

function channel(more: Partial<Channel> = {}): Channel {
  return {
    key: "k",
    name: "phone",
    field: "notify[0]",
    target: { kind: "ntfy", url: "https://ntfy.sh/t", token: null },
    afterMs: 10 * SECOND,
    everyMs: 60 * SECOND,
    quiet: [],
    atLeast: "low",
    content: false,
    ...more,
  };
}

const fresh: ChannelState = { told: new Set(), sentAt: null, notBefore: 0, failures: 0 };

function waiting(id: string, askedAt: number, severity: Severity = "low"): QueuedQuestion {
  const question = { ...questionAbout([{ kind: "read", path: "/srv" }], { mark: id }), id, askedAt, severity };
  return { question, expiresAt: askedAt + 86_400_000, answer: null, isAwaited: false, isTaken: false };
}

function due(
  items: readonly QueuedQuestion[],
  now: number,
  more: Partial<Channel> = {},
  state: Partial<ChannelState> = {},
) {
  const found = dueNotice(items, channel(more), { ...fresh, ...state }, now);
  return found.kind === "now" ? found.questions.map(({ question }) => question.id) : found;
}

test("a question is told once it has waited long enough", () => {
  assert.deepEqual(due([], noon), { kind: "nothing" });
  assert.deepEqual(due([waiting("a", noon)], noon + 9 * SECOND), { kind: "later", at: noon + 10 * SECOND });
  assert.deepEqual(due([waiting("a", noon)], noon + 10 * SECOND), ["a"]);
  assert.deepEqual(due([waiting("a", noon)], noon + 10 * SECOND, {}, { told: new Set(["a"]) }), { kind: "nothing" });
});

test("a burst is one notice, and what comes soon after it is one more", () => {
  const burst = Array.from({ length: 200 }, (_, index) => waiting(`q${index}`, noon + index * 50));
  assert.equal((due(burst, noon + 10 * SECOND) as string[]).length, 200);
  const told = new Set(burst.map(({ question }) => question.id));
  const sentAt = noon + 10 * SECOND;
  const later = [...burst, waiting("x", sentAt + SECOND), waiting("y", sentAt + 30 * SECOND)];
  assert.deepEqual(due(later, sentAt + 40 * SECOND, {}, { told, sentAt }), { kind: "later", at: sentAt + 60 * SECOND });
  assert.deepEqual(due(later, sentAt + 60 * SECOND, {}, { told, sentAt }), ["x", "y"]);
});

test("a failure is tried again at its time, and questions of less risk are left out", () => {
  const items = [waiting("a", noon, "low"), waiting("b", noon, "high")];
  const now = noon + 20 * SECOND;
  assert.deepEqual(due(items, now, {}, { notBefore: now + 5, failures: 1 }), { kind: "later", at: now + 5 });
  assert.deepEqual(due(items, now, { atLeast: "medium" }), ["b"]);
  assert.deepEqual(due([waiting("a", noon, "low")], now, { atLeast: "medium" }), { kind: "nothing" });
});

const at = (hour: number, minute = 0, day = 15) => new Date(2026, 0, day, hour, minute).getTime();
const hours = (...texts: string[]) => texts.map((text) => parseQuietHours(text) ?? assert.fail(text));

test("in quiet hours nobody is told, and after them what still waits is", () => {
  const quiet = hours("22:00-07:00");
  const question = waiting("a", at(23));
  assert.deepEqual(due([question], at(23, 1), { quiet }), { kind: "later", at: at(7, 0, 16) });
  assert.deepEqual(due([question], at(6, 59, 16), { quiet }), { kind: "later", at: at(7, 0, 16) });
  assert.deepEqual(due([question], at(7, 0, 16), { quiet }), ["a"]);
  assert.deepEqual(due([waiting("b", at(21, 59))], at(21, 59) + 5 * SECOND, { quiet }), {
    kind: "later",
    at: at(21, 59) + 10 * SECOND,
  });
});

test("quiet hours pass midnight, follow each other, and end at their last minute", () => {
  assert.equal(firstLoudTime([], at(3)), at(3));
  assert.equal(firstLoudTime(hours("22:00-07:00"), at(21, 59)), at(21, 59));
  assert.equal(firstLoudTime(hours("22:00-07:00"), at(22)), at(7, 0, 16));
  assert.equal(firstLoudTime(hours("22:00-24:00", "0:00-06:30"), at(23)), at(6, 30, 16));
  assert.equal(firstLoudTime(hours("00:00-06:30", "22:00-24:00"), at(0)), at(6, 30));
  assert.equal(firstLoudTime(hours("12:00-13:00", "13:00-14:00"), at(12, 30)), at(14));
  for (const text of ["", "22-7", "22:00", "24:01-07:00", "22:60-07:00", "07:00-07:00", "0:00-24:00", "22:00-07:00x"])
    assert.equal(parseQuietHours(text), null, text);
});

const clockTime = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));

test("the time that is found is not quiet, and none before it was loud", () => {
  const property = fc.property(clockTime, clockTime, clockTime, ([h1, m1], [h2, m2], [h, m]) => {
    fc.pre(h1 !== h2 || m1 !== m2);
    const quiet = hours(`${h1}:${String(m1).padStart(2, "0")}-${h2}:${String(m2).padStart(2, "0")}`);
    const begin = at(h, m);
    const loud = firstLoudTime(quiet, begin);
    assert.equal(firstLoudTime(quiet, loud), loud);
    assert.ok(loud >= begin && loud - begin < 86_400_000);
    if (loud > begin) assert.notEqual(firstLoudTime(quiet, loud - 60_000), loud - 60_000);
  });
  fc.assert(property, { numRuns: runs(500) });
});
