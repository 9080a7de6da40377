// Questions of a session that ends with its gate: once it has ended nothing can pick an answer up, and they wait no more.

import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { answerUseOf } from "../../src/approval/answer-use.ts";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { type Gate, queueApprover, type Question } from "../../src/index.ts";
import { answerTo, waitingQuestion } from "../fixtures/approver.ts";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { startHelper } from "../fixtures/helper.ts";
import { exec, refused, until } from "../fixtures/run.ts";

function newPlace(t: TestContext): TestDirectories {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  return directories;
}

function open(t: TestContext, directories: TestDirectories, session?: string): Gate {
  const named = session === undefined ? {} : { session };
  const gate = openGate(
    directories,
    {},
    { approvers: [(answerService) => queueApprover(answerService.queue)], ...named },
  );
  t.after(() => gate.close());
  return gate;
}

const attempt = (gate: Gate, directories: TestDirectories, word = "hi") =>
  exec(gate, ["/bin/echo", word], { cwd: directories.outside });

const timeouts = (gate: Gate) =>
  [...gate.journal.list({ event: "approval.timeout" })].map(({ outcome, call_id, session, digest }) => ({
    outcome: outcome as Record<string, unknown>,
    call_id,
    session,
    digest,
  }));

const reason = "the session that asked has ended";

test("closed: what it asked waits no more and is in the record; a named session's question stays", async (t) => {
  const directories = newPlace(t);
  const person = open(t, directories, "person");
  const [passing, named] = [open(t, directories), open(t, directories, "named")];
  const hints = [
    refused(await attempt(passing, directories)).hint ?? "",
    refused(await attempt(named, directories)).hint ?? "",
  ];
  assert.match(hints[0] ?? "", /while this connection lasts/);
  assert.doesNotMatch(hints[1] ?? "", /connection/);
  const { queue } = person.answerService;
  const questions = (await person.answerService.listAndWithdrawEnded()).map(({ question }) => question);
  assert.equal(questions.length, 2);
  const [gone, kept] = [passing.session, "named"].map((name) => questions.find(({ session }) => session === name));
  assert.ok(gone !== undefined && kept !== undefined);
  const version = await queue.version();
  passing.close();
  named.close();
  assert.notEqual(await queue.version(), version, "who looks learns of it");
  assert.deepEqual(
    (await person.answerService.listAndWithdrawEnded()).map(({ question }) => question.id),
    [kept.id],
  );
  assert.equal(await queue.find(gone.id), undefined);
  assert.deepEqual(await person.answerService.answer(gone.id, answerTo(gone)), { ok: false, reason });
  const [entry, ...more] = timeouts(person);
  assert.deepEqual(more, []);
  assert.deepEqual([entry?.outcome["question"], entry?.outcome["withdrawn"]], [gone.id, reason]);
  assert.deepEqual([entry?.call_id, entry?.session, entry?.digest], [gone.callId, passing.session, gone.action.digest]);
  // The control: the other one can be answered, and a process that opens its session again finds it.
  await person.answerService.answer(kept.id, answerTo(kept));
  assert.equal((await attempt(open(t, directories, "named"), directories)).ok, true);
  assert.deepEqual([...person.journal.list({ event: "approval.answered" })].length, 1);
});

/** A yes that came when the call had given up. */
async function answeredLate(t: TestContext) {
  const directories = newPlace(t);
  const person = open(t, directories, "person");
  const passing = open(t, directories);
  refused(await attempt(passing, directories));
  const question = await waitingQuestion(person);
  await person.answerService.answer(question.id, answerTo(question));
  return { directories, person, passing, question };
}

test("closed with a yes that nobody has used: nothing will, and that is said", async (t) => {
  const { person, passing, question } = await answeredLate(t);
  assert.equal((await answerUseOf(person.answerService.queue, question.id)).state, "open");
  passing.close();
  assert.equal((await answerUseOf(person.answerService.queue, question.id)).state, "over");
  assert.deepEqual(timeouts(person), [], "it was answered: there is nothing to withdraw");
});

test("an answer that was used stays used when its session ends", async (t) => {
  const { directories, person, passing, question } = await answeredLate(t);
  assert.equal((await attempt(passing, directories)).ok, true);
  passing.close();
  assert.equal((await answerUseOf(person.answerService.queue, question.id)).state, "taken");
});

/** A gate in a process of its own whose call waits, and its question. */
async function waitingChild(t: TestContext, directories: TestDirectories, person: Gate, session?: string) {
  const order = {
    statePath: directories.state,
    project: directories.project,
    configText: configText(directories),
    args: { argv: ["/bin/echo", session ?? "passing"], cwd: directories.outside },
    ...(session === undefined ? {} : { session }),
  };
  const child = await startHelper([
    process.execPath,
    join(import.meta.dirname, "queue-gate.ts"),
    JSON.stringify(order),
  ]);
  t.after(() => child.stop());
  const isIts = ({ question }: { readonly question: Question }) =>
    session === undefined ? question.endsWithGate === true : question.session === session;
  await until("it waits", async () => (await person.answerService.queue.waiting()).some(isIts));
  const question = (await person.answerService.queue.waiting()).find(isIts)?.question as Question;
  return {
    question,
    kill: async () => {
      child.process.kill("SIGKILL");
      await once(child.process, "exit");
    },
  };
}

test("killed: whoever lists the questions withdraws them, once; a named session's stays", async (t) => {
  const directories = newPlace(t);
  const [person, other] = [open(t, directories, "person"), open(t, directories, "other")];
  const watcher = await person.answerService.queue.watch("review");
  t.after(() => watcher.leave());
  const [gone, kept] = [
    await waitingChild(t, directories, person),
    await waitingChild(t, directories, person, "named"),
  ];
  assert.equal((await person.answerService.queue.waiting()).length, 2);
  await gone.kill();
  await kept.kill();
  for (const { answerService } of [person, other, person])
    assert.deepEqual(
      (await answerService.listAndWithdrawEnded()).map(({ question }) => question.id),
      [kept.question.id],
    );
  assert.deepEqual(
    timeouts(person).map(({ outcome, call_id }) => [outcome["question"], outcome["withdrawn"], call_id]),
    [[gone.question.id, reason, gone.question.callId]],
  );
  assert.equal(person.journal.verify().ok, true);
});

test("killed, and answered before anybody has looked: the answer does not count, and is not in the record", async (t) => {
  const directories = newPlace(t);
  const person = open(t, directories, "person");
  const watcher = await person.answerService.queue.watch("review");
  t.after(() => watcher.leave());
  const { question, kill } = await waitingChild(t, directories, person);
  await kill();
  assert.deepEqual(await person.answerService.answer(question.id, answerTo(question)), { ok: false, reason });
  assert.deepEqual([...person.journal.list({ event: "approval.answered" })], []);
  assert.equal(timeouts(person).length, 1);
});

test("what cannot be written down is not withdrawn, and is listed nowhere all the same", async (t) => {
  const directories = newPlace(t);
  const person = open(t, directories, "person");
  const watcher = await person.answerService.queue.watch("review");
  t.after(() => watcher.leave());
  const { question, kill } = await waitingChild(t, directories, person);
  await kill();
  const { queue } = person.answerService;
  const full = openAnswerService({
    store: new LocalStore(person.config),
    journal: () => assert.fail("the disk is full"),
  });
  assert.deepEqual(await full.listAndWithdrawEnded(), []);
  assert.deepEqual(timeouts(person), []);
  assert.deepEqual(await queue.waiting(), [], "it is listed nowhere");
  assert.deepEqual(await person.answerService.listAndWithdrawEnded(), []);
  assert.deepEqual(
    timeouts(person).map(({ outcome }) => outcome["question"]),
    [question.id],
    "the next who looks does it",
  );
});

const cancelledReason = "the call that asked was cancelled";

/** A call of a named session that waits, and what cancels it. */
async function waitingCall(directories: TestDirectories, gate: Gate) {
  const controller = new AbortController();
  const args = { argv: ["/bin/echo", "hi"], cwd: directories.outside };
  const before = [...gate.journal.list({ event: "approval.requested" })].length;
  const reply = gate.call({ tool: "Exec", args }, { signal: controller.signal });
  await until("it has asked", () => [...gate.journal.list({ event: "approval.requested" })].length > before);
  const question = await waitingQuestion(gate);
  await until("it waits", async () => await gate.answerService.queue.isAwaited(question.id));
  return {
    question,
    end: async (why?: unknown) => {
      controller.abort(why);
      return refused(await reply);
    },
  };
}

async function watched(t: TestContext): Promise<{ directories: TestDirectories; person: Gate; caller: Gate }> {
  const directories = newPlace(t);
  const [person, caller] = [open(t, directories, "person"), open(t, directories, "named")];
  const watcher = await person.answerService.queue.watch("review");
  t.after(() => watcher.leave());
  return { directories, person, caller };
}

test("cancelled by its caller: it waits no more and is in the record; an answer that comes later is told why", async (t) => {
  const { directories, person, caller } = await watched(t);
  const { question, end } = await waitingCall(directories, caller);
  const version = await person.answerService.queue.version();
  assert.match((await end()).message, /cancelled before anybody answered/);
  assert.notEqual(await person.answerService.queue.version(), version, "who looks learns of it");
  assert.deepEqual(await person.answerService.listAndWithdrawEnded(), []);
  assert.deepEqual(await person.answerService.answer(question.id, answerTo(question)), {
    ok: false,
    reason: cancelledReason,
  });
  assert.deepEqual(
    timeouts(person).map(({ outcome, call_id }) => [outcome["question"], outcome["withdrawn"], call_id]),
    [[question.id, cancelledReason, question.callId]],
  );
  assert.deepEqual([...person.journal.list({ event: "approval.answered" })], []);
  // The same call asks again, with a question of its own.
  const again = await waitingCall(directories, caller);
  assert.notEqual(again.question.id, question.id);
  await person.answerService.answer(again.question.id, answerTo(again.question));
  assert.equal(person.journal.verify().ok, true);
});

test("cancelled while an identical call waits: the question stays for that one, and leaves with it", async (t) => {
  const { directories, person, caller } = await watched(t);
  const one = await waitingCall(directories, caller);
  const joined = Promise.withResolvers<void>();
  const show = async (_: Question, signal: AbortSignal) => {
    joined.resolve();
    await once(signal, "abort");
  };
  const approvers = [({ queue }: Gate["answerService"]) => queueApprover(queue, { show })];
  const second = openGate(directories, {}, { approvers, session: "named" });
  t.after(() => second.close());
  const other = await waitingCall(directories, second);
  await joined.promise;
  assert.equal(other.question.id, one.question.id);
  await one.end();
  assert.equal((await waitingQuestion(person)).id, one.question.id);
  assert.deepEqual(timeouts(person), []);
  await other.end();
  assert.deepEqual(await person.answerService.listAndWithdrawEnded(), []);
  assert.equal(timeouts(person).length, 1);
});

test("a caller whose own time is over, or whose connection is, may come back: the question stays", async (t) => {
  const { directories, person, caller } = await watched(t);
  for (const why of [new DOMException("too late", "TimeoutError"), new Error("Connection closed")]) {
    const { question, end } = await waitingCall(directories, caller);
    await end(why);
    assert.equal((await waitingQuestion(person)).id, question.id);
  }
  const question = await waitingQuestion(person);
  await person.answerService.answer(question.id, answerTo(question));
  assert.equal((await attempt(caller, directories)).ok, true, "the same call finds the answer");
  assert.deepEqual(timeouts(person), []);
});

test("cancelled while somebody answers: the answer counts, and the same call finds it", async (t) => {
  const { directories, person, caller } = await watched(t);
  const { question, end } = await waitingCall(directories, caller);
  const { queue } = person.answerService;
  const claimed = await queue.claim(question.id);
  assert.ok(claimed.ok);
  await end();
  assert.equal((await queue.waiting()).length, 1);
  const { decision, digest, who, reason: why } = answerTo(question);
  await queue.commit(claimed.claim, {
    question: question.id,
    decision,
    digest,
    who,
    reason: why,
    scope: "once",
    note: null,
  });
  assert.equal((await attempt(caller, directories)).ok, true);
  assert.deepEqual(timeouts(person), []);
});
