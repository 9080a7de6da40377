// An answer for longer than once answers the other questions as well that it would have spared the person, and no others.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Effect } from "../../src/action/effect.ts";
import type { Question } from "../../src/approval/approver.ts";
import type { LongerScope } from "../../src/approval/memory.ts";
import { type Gate, queueApprover } from "../../src/index.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { answerTo, questionAbout, type QuestionParts } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { exec, ran, until } from "../fixtures/run.ts";

function openStore(t: TestContext, directories = makeTestDirectories()) {
  t.after(() => directories.remove());
  const { state, base } = directories;
  const store = new LocalStore({ stateDirectory: state, configDirectory: `${base}/config`, home: base });
  t.after(() => store.close());
  const service = openAnswerService({ store, journal: () => store.journal });
  let serial = 0;
  const began = Date.now();
  /** In the queue. */
  const ask = async (effects: readonly Effect[], parts: QuestionParts = {}): Promise<Question> => {
    serial += 1;
    const question = questionAbout(effects, { mark: `${serial}`, ...parts });
    return await store.queue.put({ ...question, askedAt: began + serial });
  };
  const give = (question: Question, scope: LongerScope, more: object = {}) =>
    service.answer(question.id, answerTo(question, { scope, answersOthers: true, ...more }));
  const waiting = async () => (await store.queue.waiting()).map(({ question }) => question.id);
  return { store, service, ask, give, waiting };
}

const read = (path: string): Effect => ({ kind: "read", path });

test("20 questions about one path: one answer for the session answers 19 others, and is shown before it does", async (t) => {
  const { store, service, ask, give, waiting } = openStore(t);
  const asked = [];
  for (let n = 0; n < 20; n += 1) asked.push(await ask([read(n % 2 === 0 ? "/var/log" : `/var/log/${n}`)]));
  const other = await ask([read("/srv")]);
  const [first] = asked as [Question];
  const find = await service.alsoAnswers(first);
  const offer = first.offers.find(({ scope }) => scope === "session");
  const shown = await find({ decision: "allow", scope: "session", rules: offer?.rules ?? [] });
  assert.deepEqual(
    shown.map(({ id }) => id),
    asked.slice(1).map(({ id }) => id),
  );
  const given = await give(first, "session");
  assert.ok(!("ok" in given));
  assert.deepEqual(
    given.also,
    asked.slice(1).map(({ id }) => id),
  );
  assert.deepEqual(await waiting(), [other.id]);
  const [, second] = asked as [Question, Question];
  assert.deepEqual(await store.queue.find(second.id).then((found) => found?.answer), {
    question: second.id,
    digest: second.action.digest,
    decision: "allow",
    scope: "once",
    who: "ann",
    reason: null,
    note: null,
    with: first.id,
  });
  const [, ...recorded] = [...store.journal.list({ event: "approval.answered", order: "oldest" })];
  assert.equal(recorded.length, 19);
  assert.ok(recorded.every(({ because }) => because?.includes(`with the answer to question ${first.id}`)));
});

test("without the word of a surface that has shown it, an answer answers its own question alone", async (t) => {
  const { ask, give, waiting } = openStore(t);
  const [one, other] = [await ask([read("/var/log")]), await ask([read("/var/log")])];
  const given = await give(one, "session", { answersOthers: false });
  assert.ok(!("also" in given));
  assert.deepEqual(await waiting(), [other.id]);
});

test("how far it reaches: session, project, everywhere, and never another agent", async (t) => {
  for (const [scope, count] of [
    ["session", 1],
    ["project", 2],
    ["everywhere", 3],
  ] as const) {
    const { ask, give } = openStore(t);
    const first = await ask([read("/var/log")]);
    await ask([read("/var/log")]);
    await ask([read("/var/log")], { session: "s2" });
    await ask([read("/var/log")], { session: "s3", project: "/other" });
    await ask([read("/var/log")], { agent: "reader" });
    const given = await give(first, scope);
    assert.ok(!("ok" in given));
    assert.equal(given.also?.length, count, scope);
  }
});

test("T80: what it does not answer: more than the rules keep, what is offered once alone, what a rule denies", async (t) => {
  const { store, ask, give, waiting } = openStore(t);
  const deny: RuleText = { decide: "deny", effect: "read", path: "/var/log/private" };
  const origin = { question: "q-0", who: "ann", at: Date.now(), agent: "default", session: "s1", project: "/project" };
  const first = await ask([read("/var/log")]);
  const left = [
    await ask([read("/var/log"), { kind: "network", host: "example.org:443" }]),
    await ask([read("/var")]),
    await ask([read("/var/log")], { contents: [{ path: "/workspace/run.sh", sha256: "0".repeat(64) }] }),
    await ask([read("/var/log"), { kind: "push", target: "/repo", branch: "main", by: "tool", isProtected: false }]),
    await ask([{ kind: "write", path: "/var/log" }]),
    await ask([read("/var/log/private/x")]),
  ];
  assert.ok((await store.rules.remember("project", [deny], origin)).ok);
  const given = await give(first, "session");
  assert.ok(!("ok" in given) && given.also === undefined);
  assert.deepEqual(
    await waiting(),
    left.map(({ id }) => id),
  );
});

test("a question about two things is answered when the second of them is, and an edited rule counts as it was edited", async (t) => {
  const { ask, give, waiting } = openStore(t);
  const both = await ask([read("/var/log"), read("/srv/data")]);
  const log = await ask([read("/var/log")]);
  const srv = await ask([read("/srv/data/a")]);
  await give(log, "session");
  assert.deepEqual(await waiting(), [both.id, srv.id]);
  const rules: readonly RuleText[] = [{ decide: "allow", effect: "read", path: "/srv" }];
  const given = await give(srv, "session", { rules });
  assert.ok(!("ok" in given));
  assert.deepEqual(given.also, [both.id]);
});

test("no, always: the others of its kind are refused as well, with the same reason", async (t) => {
  const { store, ask, give, waiting } = openStore(t);
  const first = await ask([read("/var/log")]);
  const same = await ask([read("/var/log")], { session: "s2" });
  const other = await ask([read("/srv")]);
  const given = await give(first, "project", { decision: "deny", reason: "not in the logs" });
  assert.ok(!("ok" in given));
  assert.deepEqual(given.also, [same.id]);
  const { answer } = (await store.queue.find(same.id)) ?? {};
  assert.deepEqual([answer?.decision, answer?.reason, answer?.with], ["deny", "not in the logs", first.id]);
  assert.deepEqual(await waiting(), [other.id]);
});

function openQueued(t: TestContext, directories: TestDirectories): Gate {
  const gate = openGate(
    directories,
    {},
    { session: "s1", approvers: [(answerService) => queueApprover(answerService.queue)] },
  );
  t.after(() => gate.close());
  return gate;
}

test("calls of several gates that wait go on with one answer, and the same calls are not asked about again", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gates = [openQueued(t, directories), openQueued(t, directories), openQueued(t, directories)];
  const [{ answerService }] = gates as [Gate];
  const watcher = await answerService.queue.watch("review");
  t.after(() => watcher.leave());
  const echo = (gate: Gate, n: number) => exec(gate, ["/bin/echo", `${n}`], { cwd: directories.outside });
  const calls = gates.map(echo);
  await until("all wait", async () => (await answerService.queue.waiting()).length === 3);
  const [first] = await answerService.queue.waiting();
  assert.ok(first !== undefined);
  const given = await answerService.answer(
    first.question.id,
    answerTo(first.question, { scope: "session", answersOthers: true }),
  );
  assert.ok(!("ok" in given) && given.also?.length === 2);
  for (const [n, call] of calls.entries()) assert.equal(ran(await call).stdout, `${n}\n`);
  assert.deepEqual(await answerService.queue.waiting(), []);
  ran(await echo(gates[2] as Gate, 7));
});
