// T27: nothing but the exact shape of a yes, to exactly this question, is a yes.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import test from "node:test";
import { type Answer, type Approver, type Gate, queueApprover } from "../../src/index.ts";
import { answerTo, questionAbout, scripted, waitingQuestion } from "../fixtures/approver.ts";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { exec, ran, refused } from "../fixtures/run.ts";

/** A call that is asked about, because its working directory is not granted. What it makes shows that it ran. */
const attempt = (gate: Gate, directories: TestDirectories) =>
  exec(gate, ["/usr/bin/touch", `${directories.root}/made`], { cwd: directories.outside });

function newPlace(t: test.TestContext): TestDirectories {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  return directories;
}

const other = questionAbout([{ kind: "read", path: "/elsewhere" }]).action.digest;
type Say = (answer: Answer) => unknown;
const notYeses: readonly (readonly [string, Say])[] = [
  ["true", () => true],
  ["1", () => 1],
  ['"allow"', () => "allow"],
  ["a function", () => () => true],
  ["nothing", () => undefined],
  ["an empty object", () => ({})],
  ["a list", (answer) => [answer]],
  ["a yes without its digest", (answer) => ({ ...answer, digest: undefined })],
  ["a yes for another action", (answer) => ({ ...answer, digest: other })],
  ["a digest that only begins alike", (answer) => ({ ...answer, digest: answer.digest.slice(0, 32) })],
  ["a digest in a list", (answer) => ({ ...answer, digest: [answer.digest] })],
  ["a digest in capitals", (answer) => ({ ...answer, digest: answer.digest.toUpperCase() })],
  ["ALLOW", (answer) => ({ ...answer, decision: "ALLOW" })],
  ["yes", (answer) => ({ ...answer, decision: "yes" })],
  ["true as decision", (answer) => ({ ...answer, decision: true })],
  ["a list as decision", (answer) => ({ ...answer, decision: ["allow"] })],
  ["nobody's yes", (answer) => ({ ...answer, who: "" })],
  ["a yes without who", (answer) => ({ ...answer, who: undefined })],
  ["a reason that is no text", (answer) => ({ ...answer, reason: { toString: () => "x" } })],
  ["a scope that there is not", (answer) => ({ ...answer, scope: "forever" })],
  ["no scope at all", (answer) => ({ ...answer, scope: null })],
  [
    "a yes that says it was checked",
    (answer) => ({ settled: { ...answer, question: "q", scope: "once", note: null } }),
  ],
  ["settled: true", () => ({ settled: true })],
  ["settled: null", () => ({ settled: null })],
  ["rules that are no list", (answer) => ({ ...answer, scope: "session", rules: "all" })],
  ["rules of nothing", (answer) => ({ ...answer, scope: "session", rules: [null] })],
  ["no rules", (answer) => ({ ...answer, scope: "session", rules: [] })],
  [
    "a rule about something else",
    (answer) => ({ ...answer, scope: "session", rules: [{ decide: "allow", effect: "read", path: "/etc" }] }),
  ],
  [
    "a rule for everything",
    (answer) => ({ ...answer, scope: "session", rules: [{ decide: "allow", effect: "read" }] }),
  ],
  [
    "a rule for every path",
    (answer) => ({ ...answer, scope: "session", rules: [{ decide: "allow", effect: "read", path: "/**" }] }),
  ],
  [
    "a rule of an unknown effect",
    (answer) => ({ ...answer, scope: "session", rules: [{ decide: "allow", effect: "all" }] }),
  ],
  [
    "a rule with a field that is no text",
    (answer) => ({ ...answer, scope: "session", rules: [{ decide: "allow", effect: "read", path: 7 }] }),
  ],
  [
    "a rule that says no",
    (answer) => ({ ...answer, scope: "session", rules: [{ decide: "deny", effect: "read", path: "/" }] }),
  ],
  [
    "a rule with a field of its own",
    (answer) => ({
      ...answer,
      scope: "project",
      rules: [{ decide: "allow", effect: "read", path: "/", agent: "all" }],
    }),
  ],
];

test("nothing that only looks like a yes is one", async (t) => {
  const directories = newPlace(t);
  let say: Say = () => null;
  const approver: Approver = { name: "hostile", ask: (question) => Promise.resolve(say(answerTo(question)) as never) };
  const gate = openGate(directories, {}, { approvers: [approver] });
  t.after(() => gate.close());
  for (const [name, next] of notYeses) {
    await t.test(name, async () => {
      say = next;
      const { error } = refused(await attempt(gate, directories));
      assert.ok(["approval_denied", "fs_denied"].includes(error), error);
      assert.ok(!existsSync(`${directories.root}/made`));
    });
  }
  assert.equal(gate.journal.verify().ok, true);
  say = (answer) => answer;
  assert.equal(ran(await attempt(gate, directories)).exit_code, 0);
  assert.ok(existsSync(`${directories.root}/made`), "control: a yes of the right shape is one");
});

test("a scope that was not offered is a no: a script that the agent can change is never for longer", async (t) => {
  const directories = newPlace(t);
  const approver = scripted(() => ({ scope: "session" }));
  const gate = openGate(directories, {}, { approvers: [approver] });
  t.after(() => gate.close());
  writeFileSync(`${directories.root}/x.sh`, "touch made\n");
  const call = () => exec(gate, ["/bin/sh", `${directories.root}/x.sh`], { cwd: directories.outside });
  const no = refused(await call());
  assert.deepEqual([no.error, /allow session was not offered/.test(no.message)], ["approval_denied", true]);
  approver.says = () => ({ scope: "once" });
  ran(await call());
  assert.equal(approver.asked.length, 2, "control: once was offered");
});

test("an answer at the desk for one question does not answer the other", async (t) => {
  const directories = newPlace(t);
  mkdirSync(`${directories.outside}/b`);
  const gate = openGate(directories, {}, { approvers: [(answerService) => queueApprover(answerService.queue)] });
  t.after(() => gate.close());
  const watcher = await gate.answerService.queue.watch("review");
  const first = attempt(gate, directories);
  const second = exec(gate, ["/usr/bin/touch", `${directories.root}/second`], { cwd: `${directories.outside}/b` });
  const one = await waitingQuestion(gate, 0);
  const two = await waitingQuestion(gate, 1);
  assert.notEqual(one.action.digest, two.action.digest);
  await gate.answerService.answer(one.id, answerTo(two));
  const no = refused(await first);
  assert.deepEqual([no.error, /for another action/.test(no.message)], ["approval_denied", true]);
  await gate.answerService.answer(two.id, answerTo(two));
  ran(await second);
  await watcher.leave();
  assert.deepEqual([existsSync(`${directories.root}/made`), existsSync(`${directories.root}/second`)], [false, true]);
});

test("no answer gets through where approvals are switched off", async (t) => {
  const directories = newPlace(t);
  const approver = scripted();
  const text = JSON.stringify({ ...(JSON.parse(configText(directories)) as object), approvals: { mode: "deny" } });
  const gate = openGate(directories, {}, { approvers: [approver], configText: text });
  t.after(() => gate.close());
  assert.equal(refused(await attempt(gate, directories)).error, "fs_denied");
  assert.deepEqual(approver.asked, []);
});
