// The queue: what waits, who may answer, and how often an answer counts. Two processes at once where that is the point.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type Gate, type GateOptions, type Question, queueApprover } from "../../src/index.ts";
import type { Prompt } from "../../src/approval/queue.ts";
import { limits } from "../../src/shared/limits.ts";
import { openApprovals } from "../../src/store/approvals.ts";
import type { Approvals } from "../../src/store/approvals-database.ts";
import { answerTo, questionAbout, scripted, waitingQuestion } from "../fixtures/approver.ts";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { startHelper } from "../fixtures/helper.ts";
import { exec, ran, refused, until } from "../fixtures/run.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

function newPlace(t: TestContext): TestDirectories {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  return directories;
}

interface ClockedStore extends Approvals {
  readonly pass: (seconds: number) => void;
}

function openStore(t: TestContext): ClockedStore {
  const directories = newPlace(t);
  let now = 1_000_000_000;
  const approvals = openApprovals(directories.state, { clock: { now: () => now, monotonic: () => now } });
  t.after(() => approvals.close());
  return { ...approvals, pass: (seconds) => void (now += seconds * 1000) };
}

const about = (mark: string, session = "s1") => questionAbout([{ kind: "read", path: "/srv" }], { mark, session });
const settledFor = (question: ReturnType<typeof about>, decision: "allow" | "deny") => ({
  question: question.id,
  decision,
  digest: question.action.digest,
  scope: "once" as const,
  who: "ann",
  reason: null,
  note: null,
});

/** As the answer service does, without a record: claimed, and committed. */
async function answer({ queue }: Approvals, question: Question, decision: "allow" | "deny") {
  const claimed = await queue.claim(question.id);
  if (!claimed.ok) return { ok: false, reason: claimed.reason };
  return { ok: await queue.commit(claimed.claim, settledFor(question, decision)) };
}

for (const decision of ["allow", "deny"] as const) {
  test(`${decision}: the first answer counts, an identical call finds it, and it is used once`, async (t) => {
    const store = openStore(t);
    const { queue } = store;
    const question = await queue.put(about("x"));
    assert.deepEqual(
      (await queue.waiting()).map(({ question: one }) => one),
      [question],
    );
    assert.equal(await queue.take(question.action.digest, sessionOfDefault("s1")), null);
    assert.deepEqual(await answer(store, question, decision), { ok: true });
    assert.deepEqual(await answer(store, question, "allow"), {
      ok: false,
      reason: `it was answered already: ${decision}, by ann`,
    });
    assert.deepEqual(await queue.waiting(), []);
    assert.equal(await queue.take(question.action.digest, sessionOfDefault("s2")), null, "another session's");
    assert.equal(await queue.take("another digest", sessionOfDefault("s1")), null);
    assert.equal((await queue.take(question.action.digest, sessionOfDefault("s1")))?.decision, decision);
    assert.equal(await queue.take(question.action.digest, sessionOfDefault("s1")), null, "used");
    assert.notEqual((await queue.put(about("x"))).id, question.id, "asked anew");
  });
}

test("an unused yes dies after 15 minutes, a question and an unused no after 24 hours", async (t) => {
  const store = openStore(t);
  const { queue, pass } = store;
  const [yes, no, open, late] = await Promise.all(["yes", "no", "open", "late"].map((mark) => queue.put(about(mark))));
  assert.ok(yes && no && open && late);
  await answer(store, yes, "allow");
  await answer(store, no, "deny");
  pass(limits.yesUnusedS - 1);
  assert.equal((await queue.find(yes.id))?.answer?.decision, "allow");
  pass(1);
  assert.equal(await queue.take(yes.action.digest, sessionOfDefault("s1")), null);
  pass(limits.questionOpenS - limits.yesUnusedS - 1);
  assert.equal((await queue.take(no.action.digest, sessionOfDefault("s1")))?.decision, "deny");
  assert.equal((await queue.waiting()).length, 2);
  await answer(store, late, "allow");
  pass(1);
  assert.deepEqual(await queue.waiting(), []);
  assert.deepEqual(await answer(store, open, "allow"), { ok: false, reason: "it has expired" });
  assert.equal(await queue.find(open.id), undefined);
  assert.equal(
    (await queue.take(late.action.digest, sessionOfDefault("s1")))?.decision,
    "allow",
    "a yes in the last second lives its 15 minutes",
  );
  assert.deepEqual([limits.yesUnusedS, limits.questionOpenS], [900, 86_400]);
});

test("a session has at most 200 questions waiting; others are not held up, and an answer makes room", async (t) => {
  const store = openStore(t);
  const { queue } = store;
  const first = await queue.put(about("0"));
  for (let index = 1; index < limits.questionsWaiting; index += 1) await queue.put(about(String(index)));
  await assert.rejects(queue.put(about("one more")), /200 questions of this session wait already/);
  assert.equal(
    (await queue.put(about("5"))).action.digest,
    about("5").action.digest,
    "one that waits already is no more",
  );
  await queue.put(about("one more", "s2"));
  await answer(store, first, "deny");
  await queue.put(about("one more"));
  assert.equal((await queue.waiting()).length, limits.questionsWaiting + 1);
});

test("an answer that cannot be settled leaves the question waiting", async (t) => {
  const store = openStore(t);
  const { queue } = store;
  const question = await queue.put(about("x"));
  const claimed = await queue.claim(question.id);
  assert.ok(claimed.ok);
  assert.equal((await queue.claim(question.id)).ok, false, "somebody answers it");
  await queue.release(claimed.claim); // what had to be done first failed
  assert.equal((await queue.waiting()).length, 1);
  assert.equal(await queue.commit(claimed.claim, settledFor(question, "allow")), false, "what was released is over");
  assert.deepEqual(await answer(store, { ...question, id: "q-none" }, "allow"), {
    ok: false,
    reason: "there is no such question",
  });
});

const queued: Partial<GateOptions> = {
  session: "s1",
  approvers: [(answerService) => queueApprover(answerService.queue)],
};
const attempt = (gate: Gate, directories: TestDirectories) =>
  exec(gate, ["/bin/echo", "hi"], { cwd: directories.outside });

function openQueued(t: TestContext, directories: TestDirectories, options: Partial<GateOptions> = {}): Gate {
  const gate = openGate(directories, {}, { ...queued, ...options });
  t.after(() => gate.close());
  return gate;
}

function withTimeout(directories: TestDirectories, timeout_s: number): string {
  return JSON.stringify({ ...(JSON.parse(configText(directories)) as object), approvals: { timeout_s } });
}

test("where nobody watches a call does not wait; the hint names the command, and the same call finds the answer later", async (t) => {
  const directories = newPlace(t);
  const gate = openQueued(t, directories);
  const { error, hint = "" } = refused(await attempt(gate, directories));
  assert.equal(error, "fs_denied");
  const question = await waitingQuestion(gate);
  assert.ok(hint.includes(`review ${question.id}`), hint);
  assert.ok(refused(await attempt(gate, directories)).hint?.includes(question.id), "the same question, not another");
  assert.equal((await gate.answerService.queue.waiting()).length, 1);
  const settled = await gate.answerService.answer(question.id, answerTo(question));
  assert.ok("decision" in settled && settled.decision === "allow");
  ran(await attempt(openQueued(t, directories), directories)); // another process
  assert.equal(refused(await attempt(gate, directories)).error, "fs_denied", "once is once");
});

test("what needs a person and nobody can answer has the slug of what it is about", async (t) => {
  const directories = newPlace(t);
  const { agents } = JSON.parse(configText(directories)) as { agents: object };
  const rules = [
    { decide: "ask", effect: "run", argv: ["echo", "**"] },
    { decide: "ask", effect: "network" },
  ];
  const gate = openQueued(t, directories, { configText: JSON.stringify({ version: 1, agents, policy: { rules } }) });
  for (const [argv, more, slug] of [
    [["/bin/cat"], { cwd: directories.outside }, "fs_denied"],
    [["/bin/sh", "-c", "curl https://example.com/"], {}, "net_denied"],
    [["/bin/echo", "hi"], {}, "permission_denied"],
  ] as const) {
    const said = refused(await exec(gate, argv, more));
    assert.deepEqual([said.error, /review q-/.test(said.hint ?? "")], [slug, true], JSON.stringify(said));
  }
});

test("where somebody watches a call waits, and goes on with the answer; a no brings its reason", async (t) => {
  const directories = newPlace(t);
  const gate = openQueued(t, directories);
  const watcher = await gate.answerService.queue.watch("review");
  const yes = attempt(gate, directories);
  const first = await waitingQuestion(gate);
  await gate.answerService.answer(first.id, answerTo(first));
  assert.equal(ran(await yes).stdout, "hi\n");
  const no = attempt(gate, directories);
  const second = await waitingQuestion(gate);
  await gate.answerService.answer(
    second.id,
    answerTo(second, { decision: "deny", reason: "use the copy\u001b[2J in /workspace" }),
  );
  const said = refused(await no);
  assert.deepEqual(
    [said.error, said.message],
    ["approval_denied", "A person said no: use the copy\\x1b[2J in /workspace"],
  );
  await watcher.leave();
});

test("when the last one who watched leaves, the call ends as if nobody had been there", async (t) => {
  const directories = newPlace(t);
  const gate = openQueued(t, directories);
  const watcher = await gate.answerService.queue.watch("review");
  const call = attempt(gate, directories);
  await waitingQuestion(gate);
  await watcher.leave();
  assert.equal(refused(await call).error, "fs_denied");
});

test("a time-out is no denial; the question stays, and its answer is found later", async (t) => {
  const directories = newPlace(t);
  const gate = openQueued(t, directories, { configText: withTimeout(directories, 1) });
  const watcher = await gate.answerService.queue.watch("review");
  const said = refused(await attempt(gate, directories));
  assert.equal(said.error, "approval_timeout");
  assert.match(said.message, /Nobody answered within 1 seconds?\. That is not a no\./);
  assert.match(said.hint ?? "", /review q-/);
  const question = await waitingQuestion(gate);
  await gate.answerService.answer(question.id, answerTo(question));
  await watcher.leave();
  ran(await attempt(gate, directories));
});

test("a caller who cancels does not wait, and nothing runs", async (t) => {
  const directories = newPlace(t);
  const gate = openQueued(t, directories);
  const watcher = await gate.answerService.queue.watch("review");
  const stop = new AbortController();
  const call = exec(gate, ["/bin/echo"], { cwd: directories.outside }, { signal: stop.signal });
  await waitingQuestion(gate);
  stop.abort();
  const said = refused(await call);
  assert.deepEqual([said.error, /cancelled/.test(said.message)], ["tool_failed", true]);
  await watcher.leave();
});

test("two gates that ask the same join one question; each needs an answer of its own, because once is once", async (t) => {
  const directories = newPlace(t);
  const [one, two] = [openQueued(t, directories), openQueued(t, directories)];
  const watcher = await one.answerService.queue.watch("review");
  let done = 0;
  const calls = [one, two].map(async (gate) => {
    const reply = await attempt(gate, directories);
    done += 1;
    return reply;
  });
  const question = await waitingQuestion(one);
  await until("both ask", () => [...one.journal.list({ event: "approval.requested" })].length === 2);
  assert.equal((await one.answerService.queue.waiting()).length, 1);
  await one.answerService.answer(question.id, answerTo(question));
  await until("one of them goes on", () => done === 1);
  const again = await waitingQuestion(one);
  assert.notEqual(again.id, question.id, "the other asks anew");
  await one.answerService.answer(again.id, answerTo(again));
  await watcher.leave();
  for (const reply of await Promise.all(calls)) ran(reply);
});

test("an answer that comes while the call runs out of time is not lost: the same call finds it", async (t) => {
  const directories = newPlace(t);
  // A prompt that is slow to leave the screen.
  const slow: Prompt = {
    async show(question, signal) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await gate.answerService.answer(question.id, answerTo(question));
      await new Promise((resolve) =>
        signal.addEventListener("abort", () => setTimeout(resolve, 1_000), { once: true }),
      );
    },
  };
  const gate: Gate = openQueued(t, directories, {
    configText: withTimeout(directories, 1),
    approvers: [(answerService) => queueApprover(answerService.queue, slow)],
  });
  assert.equal(refused(await attempt(gate, directories)).error, "approval_timeout");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  ran(await attempt(openQueued(t, directories, { configText: withTimeout(directories, 1) }), directories));
});

test("two processes answer at once, twenty times: one counts, the other learns who was first", async (t) => {
  const directories = newPlace(t);
  const config = `${directories.base}/config/sallyport`;
  mkdirSync(config, { mode: 0o700 });
  const approvals = openApprovals(directories.state);
  t.after(() => approvals.close());
  const argv = (who: string, decision: string) => [
    process.execPath,
    join(import.meta.dirname, "answer-worker.ts"),
    directories.state,
    config,
    who,
    decision,
    "20",
  ];
  const workers = [await startHelper(argv("ann", "allow")), await startHelper(argv("bob", "deny"))];
  const questions = [];
  for (let round = 0; round < 20; round += 1) {
    const question = await approvals.queue.put(about(`race ${round}`));
    questions.push(question);
    await until("it is answered", async () => (await approvals.queue.find(question.id))?.answer !== null);
  }
  await approvals.queue.put({ ...about("end"), id: "end" });
  await Promise.all(workers.map(async ({ process: child }) => child.exitCode ?? (await once(child, "exit"))));
  const said = workers.map((worker) => worker.output().split("\n"));
  for (const question of questions) {
    const lines = said.flat().filter((line) => line.startsWith(`${question.id} `));
    assert.equal(lines.filter((line) => line.endsWith(" counts")).length, 1, lines.join("; "));
    for (const line of lines) assert.match(line, / counts$| it was answered already: (?:allow, by ann|deny, by bob)$/);
    const kept = await approvals.queue.take(question.action.digest, sessionOfDefault("s1"));
    const winner = said[0]?.includes(`${question.id} counts`) === true ? "ann" : "bob";
    assert.deepEqual([kept?.who, kept?.decision], [winner, winner === "ann" ? "allow" : "deny"]);
    assert.equal(await approvals.queue.take(question.action.digest, sessionOfDefault("s1")), null);
  }
});

test("a waiting gate that is killed leaves the queue in order: its question can be answered, and is found", async (t) => {
  const directories = newPlace(t);
  const gate = openQueued(t, directories);
  const watcher = await gate.answerService.queue.watch("review");
  const order = {
    statePath: directories.state,
    project: directories.project,
    configText: configText(directories),
    session: "s1",
    args: { argv: ["/bin/echo", "hi"], cwd: directories.outside },
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, "queue-gate.ts"), JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const question = await waitingQuestion(gate);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.deepEqual(
    (await gate.answerService.queue.waiting()).map(({ question: one }) => one.id),
    [question.id],
  );
  await gate.answerService.answer(question.id, answerTo(question));
  assert.equal(ran(await attempt(gate, directories)).stdout, "hi\n");
  assert.equal(gate.journal.verify().ok, true);
  await watcher.leave();
});

test("a watcher that is killed does not count as one", async (t) => {
  const directories = newPlace(t);
  const gate = openQueued(t, directories);
  const watch = `import { openApprovals } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/approvals.ts"))};
    openApprovals(${JSON.stringify(directories.state)}).queue.watch("review"); console.log("here"); setInterval(() => undefined, 1000);`;
  const child = await startHelper([process.execPath, "--input-type=module-typescript", "-e", watch]);
  assert.equal(await gate.answerService.queue.isWatched(), true);
  child.stop();
  await once(child.process, "exit");
  assert.equal(await gate.answerService.queue.isWatched(), false);
  assert.equal(refused(await attempt(gate, directories)).error, "fs_denied");
});

test("a process with nothing else to do lives until its time is out, and says so", async (t) => {
  const directories = newPlace(t);
  const order = {
    statePath: directories.state,
    project: directories.project,
    configText: withTimeout(directories, 1),
    silent: true,
    args: { argv: ["/bin/echo"], cwd: directories.outside },
  };
  const child = await startHelper([
    process.execPath,
    join(import.meta.dirname, "queue-gate.ts"),
    JSON.stringify(order),
  ]);
  await once(child.process, "exit");
  assert.match(child.output(), /"approval_timeout"/);
});

test("the log tells who was asked, who answered what for how long, and what was changed by it", async (t) => {
  const directories = newPlace(t);
  const approver = scripted(() => ({ scope: "project", reason: "fine" }));
  const gate = openQueued(t, directories, { approvers: [approver] });
  ran(await attempt(gate, directories));
  const [question] = approver.asked;
  const entries = gate.journal.story(question?.callId ?? "");
  assert.deepEqual(
    entries.map(({ event }) => event),
    [
      "tool.call.received",
      "approval.requested",
      "approval.answered",
      "policy.changed",
      "tool.call.dispatched",
      "tool.call.finished",
    ],
  );
  const [, requested, answered, changed, dispatched] = entries;
  assert.ok(entries.slice(1).every(({ digest }) => digest === question?.action.digest));
  assert.deepEqual(requested?.outcome, { question: question?.id, severity: "low", asked: "/bin/echo hi" });
  assert.deepEqual(answered?.outcome, {
    question: question?.id,
    who: "ann",
    decision: "allow",
    scope: "project",
    means: question?.offers.find(({ decision, scope }) => decision === "allow" && scope === "project")?.meaning,
    opens: [`read ${directories.outside} and all in it`],
    reason: "fine",
  });
  assert.deepEqual([answered?.decision, answered?.because], ["allow", ["a person: ann"]]);
  assert.match(JSON.stringify(changed?.outcome), /effect: read.*"scope":"project".*"who":"ann"/);
  assert.ok(
    dispatched?.because?.includes(`allowed by ann (question ${question?.id}, project)`),
    JSON.stringify(dispatched),
  );
  ran(await attempt(gate, directories));
  const [again] = [...gate.journal.list({ event: "tool.call.dispatched", limit: 1 })];
  assert.match(JSON.stringify(again?.because), /allowed by remembered r-/);
  assert.deepEqual(gate.journal.verify().ok, true);
});

test("a time-out is in the log as one, with its question", async (t) => {
  const directories = newPlace(t);
  const silent = { name: "silent", ask: () => new Promise<never>(() => undefined) };
  const gate = openQueued(t, directories, { configText: withTimeout(directories, 1), approvers: [silent] });
  refused(await attempt(gate, directories));
  const [requested] = [...gate.journal.list({ event: "approval.requested" })];
  const [timeout] = [...gate.journal.list({ event: "approval.timeout" })];
  const id = (requested?.outcome as { question?: string } | undefined)?.question;
  assert.deepEqual(
    [timeout?.outcome, timeout?.call_id, timeout?.digest],
    [{ question: id, asked: "/bin/echo hi" }, requested?.call_id, requested?.digest],
  );
  assert.deepEqual([...gate.journal.list({ event: "approval.answered" })], []);
});
