// The list of the queue: filters, sorts, and questions that are alike.

import assert from "node:assert/strict";
import test from "node:test";
import type { Effect } from "../../src/action/effect.ts";
import type { Question } from "../../src/approval/approver.ts";
import { facetsOf, fitsFilter, groupAlike, type QueueFilter, togetherOf } from "../../src/approval/queue-list.ts";
import type { QueuedQuestion } from "../../src/approval/shared-store.ts";
import { limits } from "../../src/shared/limits.ts";
import { questionAbout, type QuestionParts } from "../fixtures/approver.ts";
import { pushQuestion } from "../fixtures/push-question.ts";

const read = (path: string): Effect => ({ kind: "read", path });
let serial = 0;

function queued(effects: readonly Effect[], parts: QuestionParts = {}, more: Partial<Question> = {}): QueuedQuestion {
  serial += 1;
  const question = { ...questionAbout(effects, { mark: `${serial}`, ...parts }), askedAt: serial, ...more };
  return { question, expiresAt: 1e12, answer: null, isAwaited: false, isTaken: false };
}

const idsOf = (items: readonly QueuedQuestion[]) => items.map(({ question }) => question.id);

test("questions of one agent and project that ask for the same are alike, whatever the command is", () => {
  const log = [queued([read("/var/log")]), queued([read("/var/log")], { session: "s2" })];
  const others = [
    queued([read("/srv")]),
    queued([read("/var/log")], { agent: "reader" }),
    queued([read("/var/log")], { project: "/other" }),
    queued([read("/var/log"), read("/srv")]),
  ];
  const [first, second] = log as [QueuedQuestion, QueuedQuestion];
  const groups = groupAlike([first, ...others, second]);
  assert.deepEqual(
    groups.map(({ items }) => idsOf(items)),
    [idsOf(log), ...others.map(({ question }) => [question.id])],
  );
  assert.equal(new Set(groups.map(({ id }) => id)).size, groups.length);
  assert.equal(groupAlike([second])[0]?.id, groups[0]?.id, "the same when the first is answered");
});

test("a push is alike to no other", () => {
  const push = (id: string): QueuedQuestion => ({
    question: { ...pushQuestion([["a", null, "1\n"]]), id },
    expiresAt: 1,
    answer: null,
    isAwaited: false,
    isTaken: false,
  });
  const pushes = [push("q-1"), push("q-2")];
  assert.equal(groupAlike(pushes).length, 2);
  for (const { id } of groupAlike(pushes))
    assert.equal(togetherOf(pushes, id), null, "its diff is looked at by itself");
  const [group] = groupAlike([queued([read("/srv")]), queued([read("/srv")])]);
  assert.equal(togetherOf(group?.items ?? [], group?.id ?? "")?.items.length, 2, "the control");
});

test("sorts: the oldest, the newest, the gravest first", () => {
  const low = queued([read("/a")], {}, { askedAt: 3, severity: "low" });
  const high = queued([read("/b")], {}, { askedAt: 2, severity: "high" });
  const medium = queued([read("/c")], {}, { askedAt: 1, severity: "medium" });
  const sorted = (by: Parameters<typeof groupAlike>[1]) =>
    groupAlike([low, high, medium], by).flatMap(({ items }) => idsOf(items));
  const ids = (...items: QueuedQuestion[]) => idsOf(items);
  assert.deepEqual(sorted("oldest"), ids(medium, high, low));
  assert.deepEqual(sorted("newest"), ids(low, high, medium));
  assert.deepEqual(sorted("risk"), ids(high, medium, low));
  assert.deepEqual(sorted("fair"), ids(low, high, medium), "as they are, while they fit on a page");
});

test("of many groups, agents and sessions take turns", () => {
  const many = Array.from({ length: limits.questionsListed + 20 }, (_, n) =>
    queued([read(`/srv/${n}`)], { session: "s1" }),
  );
  const one = queued([read("/late")], { session: "s2" });
  const groups = groupAlike([...many, one]);
  assert.deepEqual(idsOf(groups[1]?.items ?? []), [one.question.id]);
});

test("each filter, and several at once", () => {
  const items = [
    queued([read("/var/log")], {}, { claimedBy: "claude-code 2", severity: "low" }),
    queued([{ kind: "network", host: "example.org:443" }], { session: "s2" }, { severity: "high" }),
    queued([read("/srv"), { kind: "network", host: "example.org:443" }], { agent: "reader" }, { severity: "high" }),
  ];
  const [log, host, both] = idsOf(items) as [string, string, string];
  const found = (filter: QueueFilter) => idsOf(items.filter((item) => fitsFilter(item, filter)));
  assert.deepEqual(found({}), [log, host, both]);
  assert.deepEqual(found({ agent: "reader" }), [both]);
  assert.deepEqual(found({ client: "claude-code 2" }), [log]);
  assert.deepEqual(found({ session: "s2" }), [host]);
  assert.deepEqual(found({ severity: "high" }), [host, both]);
  assert.deepEqual(found({ effect: "network" }), [host, both]);
  assert.deepEqual(found({ effect: "network", agent: "default" }), [host]);
  assert.deepEqual(found({ text: "VAR/LOG" }), [log]);
  assert.deepEqual(found({ text: log }), [log]);
  assert.deepEqual(found({ text: " " }), [log, host, both]);
  assert.deepEqual(found({ agent: "nobody" }), []);
});

test("what there is to filter by is counted, the most frequent first", () => {
  const items = [
    queued([read("/a")]),
    queued([read("/b")], { agent: "reader" }),
    queued([read("/c")], {}, { claimedBy: "x" }),
  ];
  assert.deepEqual(facetsOf(items), {
    agents: [
      { value: "default", count: 2 },
      { value: "reader", count: 1 },
    ],
    clients: [{ value: "x", count: 1 }],
    sessions: [{ value: "s1", count: 3 }],
    severities: [{ value: "low", count: 3 }],
    effects: [{ value: "read", count: 3 }],
  });
});
