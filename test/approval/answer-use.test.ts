// What who has answered is told: that the call goes on only where one has taken the answer.

import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { describeAnswerUse, waitForUse, answerUseOf } from "../../src/approval/answer-use.ts";
import { type Gate, type GateOptions, queueApprover } from "../../src/index.ts";
import { limits } from "../../src/shared/limits.ts";
import { answerTo, waitingQuestion } from "../fixtures/approver.ts";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { startHelper } from "../fixtures/helper.ts";
import { exec, ran, refused, until } from "../fixtures/run.ts";

const approvers: NonNullable<GateOptions["approvers"]> = [(answerService) => queueApprover(answerService.queue)];

/** Two gates on one store: one asks, the other has the desk where a person answers. */
function openBoth(t: TestContext): { directories: TestDirectories; asking: Gate; answering: Gate } {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const open = () => {
    const gate = openGate(directories, {}, { session: "s1", approvers });
    t.after(() => gate.close());
    return gate;
  };
  return { directories, asking: open(), answering: open() };
}

const echo = (gate: Gate, directories: TestDirectories, word = "hi", options = {}) =>
  exec(gate, ["/bin/echo", word], { cwd: directories.outside }, options);

test("nobody waits: the answer is there until its time is over, and taken once the same call has come", async (t) => {
  const { directories, asking, answering } = openBoth(t);
  const { queue } = answering.answerService;
  refused(await echo(asking, directories));
  const question = await waitingQuestion(answering);
  assert.equal(await queue.isAwaited(question.id), false);
  const before = Date.now();
  await answering.answerService.answer(question.id, answerTo(question));
  const open = await waitForUse(queue, question.id);
  assert.ok(open.state === "open");
  assert.ok(open.until >= before + limits.yesUnusedS * 1000 && open.until <= Date.now() + limits.yesUnusedS * 1000);
  ran(await echo(asking, directories));
  const [ended] = asking.journal.list({ event: "tool.call.finished", limit: 1 });
  assert.deepEqual(await answerUseOf(queue, question.id), { state: "taken", call: ended?.call_id });
  assert.notEqual(ended?.call_id, question.callId, "another call than the one that asked");
  assert.deepEqual(await answerUseOf(queue, "q-none"), { state: "over" });
});

test("a call waits: it is awaited before the answer, and has it right after", async (t) => {
  const { directories, asking, answering } = openBoth(t);
  const { queue } = answering.answerService;
  const watcher = await queue.watch("review");
  t.after(() => watcher.leave());
  for (const decision of ["allow", "deny"] as const) {
    const call = echo(asking, directories);
    const question = await waitingQuestion(answering);
    await until("it is awaited", async () => await queue.isAwaited(question.id));
    await answering.answerService.answer(question.id, answerTo(question, { decision }));
    assert.deepEqual(await waitForUse(queue, question.id, 30_000), { state: "taken", call: question.callId });
    assert.equal((await call).ok, decision === "allow");
    await until("it waits no more", async () => !(await queue.isAwaited(question.id)));
  }
});

test("two calls wait for one question: it is awaited until the last of them is cancelled, and goes with it", async (t) => {
  const { directories, asking, answering } = openBoth(t);
  const { queue } = answering.answerService;
  const watcher = await queue.watch("review");
  t.after(() => watcher.leave());
  const stops = [new AbortController(), new AbortController()];
  const calls = stops.map(({ signal }) => echo(asking, directories, "hi", { signal }));
  const question = await waitingQuestion(answering);
  await until("both ask", () => [...answering.journal.list({ event: "approval.requested" })].length === 2);
  await until("it is awaited", async () => await queue.isAwaited(question.id));
  stops[0]?.abort();
  refused(await (calls[0] as (typeof calls)[0]));
  assert.equal(await queue.isAwaited(question.id), true);
  stops[1]?.abort();
  refused(await (calls[1] as (typeof calls)[0]));
  await until("nobody waits", async () => !(await queue.isAwaited(question.id)));
  await until("it has left the queue", async () => (await queue.waiting()).length === 0);
  assert.equal((await waitForUse(queue, question.id)).state, "over");
});

test("an answer while the call runs out of time: it goes on exactly where that was said, and is found later where not", async (t) => {
  const { directories, asking, answering } = openBoth(t);
  const { queue } = answering.answerService;
  const watcher = await queue.watch("review");
  t.after(() => watcher.leave());
  const states = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    const word = `round-${round}`;
    const call = echo(asking, directories, word, { maxWaitMs: 400 });
    const question = await waitingQuestion(answering);
    await until(
      "it is awaited, or is over",
      async () => (await queue.isAwaited(question.id)) || hasTimedOut(answering, question.id),
    );
    // The first at once, the last when all is over, the others about the moment at which the time is up.
    if (round === 11) refused(await call);
    else if (round > 0) await new Promise((resolve) => setTimeout(resolve, 250 + round * 15));
    await answering.answerService.answer(question.id, answerTo(question));
    const { state } = await waitForUse(queue, question.id, 30_000);
    states.add(state);
    assert.equal((await call).ok, state === "taken", `round ${round}: ${state}`);
    if (state === "open") ran(await echo(asking, directories, word));
  }
  assert.ok(states.has("open") && !states.has("awaited") && !states.has("over"), [...states].join());
});

const hasTimedOut = (gate: Gate, id: string) =>
  [...gate.journal.list({ event: "approval.timeout" })].some(({ outcome }) => JSON.stringify(outcome).includes(id));

test("a call that is killed while it waits does not count as one that waits", async (t) => {
  const { directories, answering } = openBoth(t);
  const { queue } = answering.answerService;
  const watcher = await queue.watch("review");
  t.after(() => watcher.leave());
  const order = {
    statePath: directories.state,
    project: directories.project,
    configText: configText(directories),
    session: "s1",
    args: { argv: ["/bin/echo", "hi"], cwd: directories.outside },
  };
  const child = await startHelper([
    process.execPath,
    join(import.meta.dirname, "queue-gate.ts"),
    JSON.stringify(order),
  ]);
  const question = await waitingQuestion(answering);
  await until("it is awaited", async () => await queue.isAwaited(question.id));
  child.process.kill("SIGKILL");
  await once(child.process, "exit");
  await answering.answerService.answer(question.id, answerTo(question));
  assert.equal((await waitForUse(queue, question.id)).state, "open", "another process can open its session again");
});

test("what is said is what is known", () => {
  const said = (decision: "allow" | "deny", scope: "once" | "session" | "project", state: string) =>
    describeAnswerUse(
      { decision, scope },
      { state, until: 7 } as Parameters<typeof describeAnswerUse>[1],
      (ms) => `<${ms}>`,
    );
  assert.equal(said("allow", "once", "taken"), "The call goes on.");
  assert.equal(said("deny", "once", "taken"), "The agent is told.");
  assert.match(said("allow", "once", "open"), /has ended.*The same call picks this answer up until <7>\.$/);
  assert.match(said("deny", "once", "open"), /has ended.*until <7>\.$/);
  assert.match(said("allow", "session", "open"), /has ended.*goes on without a question/);
  assert.match(said("deny", "project", "open"), /has ended.*is refused/);
  assert.match(said("allow", "once", "over"), /^Nothing picks this answer up/);
  assert.match(said("allow", "project", "over"), /does not go on.*later calls/);
  for (const state of ["awaited", "open", "over"])
    assert.doesNotMatch(said("allow", "once", state), /^The call goes on/, state);
});
