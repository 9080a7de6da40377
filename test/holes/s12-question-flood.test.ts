// S12: names of sessions are free, so 200 questions a session were no bound. Now an agent has one over all its sessions,
// all have one, the others still find room, and the list stays short and fair.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { queueApprover } from "../../src/index.ts";
import { limits } from "../../src/shared/limits.ts";
import { openApprovals } from "../../src/store/approvals.ts";
import type { QueueView } from "../../src/web/api.ts";
import { answerTo, questionAbout } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { openPage } from "../fixtures/page.ts";
import { exec, refused } from "../fixtures/run.ts";

function openQueue(t: TestContext) {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approvals = openApprovals(directories.state);
  t.after(() => approvals.close());
  const { queue } = approvals;
  let serial = 0;
  /** As many as are taken, at most `most`, each session in its turn. */
  const flood = async (agent: string, sessions: number, most: number): Promise<number> => {
    for (let taken = 0; taken < most; taken += 1) {
      serial += 1;
      const session = `${agent}-${serial % sessions}`;
      try {
        await queue.put(questionAbout([{ kind: "read", path: "/srv" }], { agent, session, mark: String(serial) }));
      } catch (error) {
        assert.match(String(error), /questions .*wait already/);
        return taken;
      }
    }
    return most;
  };
  return { directories, queue, flood };
}

test("however many names one agent gives its sessions, it has one bound; another agent still asks", async (t) => {
  const { queue, flood } = openQueue(t);
  assert.equal(
    await flood("greedy", 4, 1_000),
    limits.questionsWaitingAgent * 0.75,
    "what is left is for other sessions",
  );
  assert.equal(await flood("greedy", 1_000, 1_000), limits.questionsWaitingAgent * 0.25);
  await assert.rejects(
    queue.put(questionAbout([{ kind: "read", path: "/x" }], { agent: "greedy", session: "new" })),
    /400 questions of this agent wait already, in all its sessions/,
  );
  assert.equal(await flood("other", 1, 30), 30, "control");
});

test("all agents together have a bound, and one that has few questions finds room when others fill it", async (t) => {
  const { queue, flood } = openQueue(t);
  for (let agent = 0; agent < 8; agent += 1) await flood(`greedy${agent}`, 30, 1_000);
  const filled = (await queue.waiting()).length;
  assert.ok(filled >= limits.questionsWaitingTotal * 0.75 && filled < limits.questionsWaitingTotal, String(filled));
  assert.equal(await flood("late", 1, 1_000), limits.questionsAlways);
  for (let agent = 0; agent < 100; agent += 1) await flood(`more${agent}`, 1, 20);
  assert.equal((await queue.waiting()).length, limits.questionsWaitingTotal);
});

test("the call that finds no room is told why and what to do; an answer makes room", async (t) => {
  const { directories, queue, flood } = openQueue(t);
  await flood("default", 2, 1_000);
  await flood("default", 1_000, 1_000);
  const gate = openGate(
    directories,
    {},
    { session: "s1", approvers: [(answerService) => queueApprover(answerService.queue)] },
  );
  t.after(() => gate.close());
  const attempt = () => exec(gate, ["/bin/echo", "hi"], { cwd: directories.outside });
  const { error, hint = "" } = refused(await attempt());
  assert.equal(error, "fs_denied");
  assert.match(hint, /400 questions of this agent wait already, in all its sessions, so this was not asked\./);
  assert.match(hint, /A person can answer those with `.*review.*`; then the same call asks\./);
  for (const { question } of (await queue.waiting()).slice(0, 1))
    await gate.answerService.answer(question.id, answerTo(question, { decision: "deny" }));
  assert.match(refused(await attempt()).hint ?? "", /A person can answer within 24 hours/, "it waits now");
});

test("the list of a full queue is a page, the first of every agent and session on it, and says how many more wait", async (t) => {
  const { directories, flood } = openQueue(t);
  await flood("greedy", 10, 1_000);
  await flood("quiet", 1, 2);
  const gate = openGate(directories, {}, { session: "s1" });
  t.after(() => gate.close());
  const page = openPage(t, gate);
  const { questions, more = 0 } = await page.get<QueueView>("/api/queue");
  assert.equal(questions.length, limits.questionsListed);
  assert.equal(questions.length + more, limits.questionsWaitingAgent * 0.75 + 2);
  assert.equal(questions.filter(({ agent }) => agent === "quiet").length, 2);
  assert.equal(new Set(questions.map(({ session }) => session)).size, 11);
});
