// Answers by people who are killed, or are too slow, half way: nothing is lost, and nothing counts twice.

import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Question, SettledAnswer } from "../../src/approval/approver.ts";
import type { Claim } from "../../src/approval/shared-store.ts";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { recordAnswer } from "../../src/runtime/recorded-answer.ts";
import { thisProcess } from "../../src/store/holder.ts";
import { answerTo, questionAbout } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { startHelper } from "../fixtures/helper.ts";

function openWorld(t: TestContext) {
  const directories = makeTestDirectories();
  let now = Date.now();
  const clock = { now: () => now, monotonic: () => now };
  const paths = { stateDirectory: directories.state, configDirectory: directories.base, home: directories.base };
  const here = new LocalStore(paths, { clock });
  // Its process cannot be seen from here: only its lease tells that it is gone.
  const elsewhere = new LocalStore(paths, { clock, process: { ...thisProcess(), boot: "another-machine" } });
  t.after(async () => {
    await here.close();
    await elsewhere.close();
    directories.remove();
  });
  return { directories, here, elsewhere, pass: (ms: number) => void (now += ms) };
}

const yes = (question: Question): SettledAnswer => ({
  question: question.id,
  decision: "allow",
  digest: question.action.digest,
  scope: "session",
  who: "ann",
  reason: null,
  note: null,
});

const answered = ({ journal }: LocalStore) => [...journal.list({ event: "approval.answered" })];
const rule = { decide: "allow", effect: "read", path: "/srv" } as const;
const about = () => questionAbout([{ kind: "read", path: "/srv" }]);
const originOf = ({ id, session, project }: Question) => ({
  question: id,
  who: "ann",
  at: Date.now(),
  agent: "default",
  session,
  project,
});

async function claimed({ queue }: LocalStore, question: Question): Promise<Claim> {
  const result = await queue.claim(question.id);
  assert.ok(result.ok);
  return result.claim;
}

test("killed after the record, before the commit: the recorded answer counts, once, and the next person is told", async (t) => {
  const { here, elsewhere, pass } = openWorld(t);
  const question = await here.queue.put(about());
  await claimed(elsewhere, question);
  await elsewhere.rules.remember("session", [rule], originOf(question));
  recordAnswer(elsewhere.journal, question, yes(question), [rule]);
  pass(30_000);
  const service = openAnswerService({ store: here, journal: () => here.journal });
  assert.deepEqual(await service.answer(question.id, answerTo(question, { decision: "deny", who: "bob" })), {
    ok: false,
    reason: "it was answered already: allow, by ann",
  });
  assert.deepEqual((await here.queue.find(question.id))?.answer, yes(question));
  assert.equal(answered(here).length, 1);
  assert.equal((await here.rules.sessionAnswers(null)).length, 1, "what it keeps is kept");
});

test("killed after it was remembered, before the record: it is forgotten, and the next answer counts", async (t) => {
  const { here, elsewhere, pass } = openWorld(t);
  const question = await here.queue.put(about());
  await claimed(elsewhere, question);
  await elsewhere.rules.remember("session", [rule], originOf(question));
  pass(30_000);
  const service = openAnswerService({ store: here, journal: () => here.journal });
  const settled = await service.answer(question.id, answerTo(question, { decision: "deny", who: "bob" }));
  assert.ok(!("ok" in settled));
  assert.deepEqual([settled.decision, settled.who], ["deny", "bob"]);
  assert.deepEqual(await here.rules.sessionAnswers(null), []);
  assert.equal(answered(here).length, 1);
});

test("too slow: who was taken over is told who answered, and what they would have kept is gone", async (t) => {
  const { here, elsewhere, pass } = openWorld(t);
  const question = await here.queue.put(about());
  const [slow, quick] = [elsewhere, here].map((store) => openAnswerService({ store, journal: () => here.journal }));
  const slowed = openAnswerService({
    store: elsewhere,
    journal() {
      pass(30_000); // its record takes longer than its claim lasts, and somebody else answers meanwhile
      other = quick?.answer(question.id, answerTo(question, { decision: "deny", who: "bob" }));
      return elsewhere.journal;
    },
  });
  let other: Promise<unknown> | undefined;
  assert.ok(slow && quick);
  const late = await slowed.answer(question.id, answerTo(question, { scope: "session" }));
  await other;
  const counted = (await here.queue.find(question.id))?.answer;
  assert.ok(counted);
  if ("ok" in late) assert.match(late.reason, new RegExp(`by ${counted.who}`));
  else assert.equal(counted.who, late.who);
  assert.equal((await here.rules.sessionAnswers(null)).length, counted.decision === "allow" ? 1 : 0);
});

test("a process on this machine that was killed while it answered holds up nobody", async (t) => {
  const { directories, here } = openWorld(t);
  const question = await here.queue.put(about());
  const source = `import { LocalStore } from ${JSON.stringify(join(import.meta.dirname, "../../src/runtime/local-store.ts"))};
    const store = new LocalStore(${JSON.stringify({ stateDirectory: directories.state, configDirectory: directories.base, home: directories.base })});
    console.log((await store.queue.claim(${JSON.stringify(question.id)})).ok); setInterval(() => undefined, 1000);`;
  const helper = await startHelper([process.execPath, "--input-type=module", "--eval", source]);
  t.after(() => helper.stop());
  assert.equal((await here.queue.claim(question.id)).ok, false, "control: while it lives it has the claim");
  helper.process.kill("SIGKILL");
  await once(helper.process, "exit");
  const service = openAnswerService({ store: here, journal: () => here.journal });
  const settled = await service.answer(question.id, answerTo(question));
  assert.ok(!("ok" in settled));
  assert.equal(answered(here).length, 1);
});

test("two who answer at once: one counts, the other waits for that and is told", async (t) => {
  const { here, elsewhere } = openWorld(t);
  const services = [here, elsewhere].map((store) => openAnswerService({ store, journal: () => here.journal }));
  for (let round = 0; round < 20; round += 1) {
    const question = await here.queue.put(questionAbout([{ kind: "read", path: "/srv" }], { mark: `${round}` }));
    const results = await Promise.all(
      services.map((service, who) => service.answer(question.id, answerTo(question, { who: `p${who}` }))),
    );
    const won = results.findIndex((result) => !("ok" in result));
    assert.equal(results.filter((result) => "ok" in result).length, 1);
    assert.deepEqual(results[1 - won], { ok: false, reason: `it was answered already: allow, by p${won}` });
  }
  assert.equal(answered(here).length, 20);
});
