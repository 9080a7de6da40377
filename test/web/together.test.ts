// Several questions with one action, over the page's API: each is answered for itself, and only as it was shown.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Effect } from "../../src/action/effect.ts";
import type { Question } from "../../src/approval/approver.ts";
import { limits } from "../../src/shared/limits.ts";
import type { AlsoView, QueueView } from "../../src/web/api.ts";
import type { AnswersTaken, TogetherView } from "../../src/web/api-together.ts";
import { questionAbout, type QuestionParts } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { openPage } from "../fixtures/page.ts";
import { pushQuestion } from "../fixtures/push-question.ts";

function newQueue(t: TestContext) {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  const page = openPage(t, gate);
  const { queue } = page.context.answerService;
  let serial = 0;
  const began = Date.now();
  const put = async (question: Question) => {
    serial += 1;
    const action = { ...question.action, digest: serial.toString(16).padStart(64, "0") };
    return await queue.put({
      ...question,
      id: `q-${serial.toString(16).padStart(8, "0")}`,
      action,
      askedAt: began + serial,
    });
  };
  const ask = (effect: Effect, parts: QuestionParts = {}, more: Partial<Question> = {}) =>
    put({ ...questionAbout([effect], parts), ...more });
  return { page, queue, put, ask };
}

const log: Effect = { kind: "read", path: "/var/log" };
const shownOf = ({ id, action }: Question) => ({ id, digest: action.digest });

test("a group has its questions whole, oldest first, and no more than can be answered at once", async (t) => {
  const { page, ask } = newQueue(t);
  const asked: Question[] = [];
  for (let n = 0; n < limits.answeredTogether + 5; n += 1) asked.push(await ask(log));
  await ask({ kind: "read", path: "/srv" });
  const { questions, groups = [], waiting, more } = await page.get<QueueView>("/api/queue");
  const [group] = groups;
  assert.ok(group !== undefined);
  assert.deepEqual(
    [groups.length, group.count, group.wants, waiting, more, questions.length],
    [1, asked.length, "read /var/log", asked.length + 1, undefined, asked.length + 1],
  );
  const view = await page.get<TogetherView>(`/api/together/${group.id}`);
  assert.deepEqual([view.wants, view.questions.length, view.more], ["read /var/log", limits.answeredTogether, 5]);
  assert.deepEqual(
    view.questions.map(({ id, digest, text }) => ({ id, digest, text })),
    asked.slice(0, limits.answeredTogether).map((one) => ({ ...shownOf(one), text: one.text })),
  );
  await page.refused(404, "GET", "/api/together/g-00000000");
});

test("a list narrows on the server, and refuses what it does not know", async (t) => {
  const { page, ask } = newQueue(t);
  await ask(log);
  const host = await ask({ kind: "network", host: "example.org:443" }, { session: "s2" }, { claimedBy: "x\u001b[2J" });
  const view = await page.get<QueueView>("/api/queue?effect=network&sort=newest&agent=");
  assert.deepEqual(
    view.questions.map(({ id, client }) => [id, client]),
    [[host.id, "x\\x1b[2J"]],
  );
  assert.deepEqual([view.waiting, view.facets?.effects.map(({ value }) => value)], [2, ["network", "read"]]);
  await page.refused(400, "GET", "/api/queue?effect=everything");
  await page.refused(400, "GET", "/api/queue?colour=red");
});

test("T80: an answer counts for the question that was shown, and not for a push", async (t) => {
  const { page, queue, put, ask } = newQueue(t);
  const [one, other, third] = [await ask(log), await ask(log), await ask(log)];
  const push = await put(pushQuestion([["a", null, "1\n"]]));
  const taken = await page.post<AnswersTaken>("/api/answers", {
    decision: "allow",
    questions: [
      shownOf(one),
      { ...shownOf(other), digest: one.action.digest },
      shownOf(push),
      { id: "q-none", digest: "0" },
    ],
  });
  assert.deepEqual(taken, {
    answered: [one.id],
    left: [
      { id: other.id, why: "it is another question than the one that was shown" },
      { id: push.id, why: "a push is answered by itself, with its diff" },
      { id: "q-none", why: "it does not wait any more" },
    ],
  });
  assert.deepEqual(
    (await queue.waiting()).map(({ question }) => question.id),
    [other.id, third.id, push.id],
  );
  const found = await queue.find(one.id);
  assert.deepEqual(
    [found?.answer?.decision, found?.answer?.scope, found?.answer?.who],
    ["allow", "once", "ann at the web page"],
  );
  const again = await page.post<AnswersTaken>("/api/answers", {
    decision: "deny",
    reason: " no ",
    questions: [shownOf(one), shownOf(third)],
  });
  assert.deepEqual(again.answered, [third.id]);
  assert.match(again.left[0]?.why ?? "", /it was answered already: allow/);
  assert.equal((await queue.find(third.id))?.answer?.reason, "no");
});

test("more than can be shown at once, a longer answer and other words are refused", async (t) => {
  const { page, ask } = newQueue(t);
  const { id, action } = await ask(log);
  const one = { id, digest: action.digest };
  const many = Array.from({ length: limits.answeredTogether + 1 }, () => one);
  await page.refused(400, "POST", "/api/answers", { decision: "allow", questions: many });
  await page.refused(400, "POST", "/api/answers", { decision: "allow", questions: [] });
  await page.refused(400, "POST", "/api/answers", { decision: "allow", scope: "everywhere", questions: [one] });
  await page.refused(403, "POST", "/api/answers", { decision: "allow", questions: [one] }, { origin: null });
  await page.refused(401, "POST", "/api/answers", { decision: "allow", questions: [one] }, { authorization: null });
});

test("what a longer answer would answer besides is said without changing anything", async (t) => {
  const { page, queue, ask } = newQueue(t);
  const first = await ask(log);
  await ask({ kind: "read", path: "/var/log/a" });
  await ask({ kind: "read", path: "/srv" });
  const path = `/api/questions/${first.id}/also`;
  const kept = "{ decide: allow, effect: read, path: /var/log }";
  const view = await page.post<AlsoView>(path, { decision: "allow", scope: "project", rules: [kept] });
  assert.deepEqual([view.count, view.questions.map(({ title }) => title)], [1, ["read /var/log/a"]]);
  const wide = await page.post<AlsoView>(path, {
    decision: "allow",
    scope: "project",
    rules: ["{ decide: allow, effect: read, path: / }"],
  });
  assert.deepEqual([wide.count, wide.problem], [0, "the rule would allow everything of its kind"]);
  assert.equal((await page.post<AlsoView>(path, { decision: "allow", scope: "once", rules: [] })).count, 0);
  assert.equal((await queue.waiting()).length, 3);
  await page.refused(404, "POST", "/api/questions/q-none/also", { decision: "allow", scope: "project", rules: [kept] });
});
