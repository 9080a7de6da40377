// Answers for longer than once: how far they reach, how long they hold, and how they are taken back.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import type { Effect } from "../../src/action/effect.ts";
import { type AnswerOrigin, rememberedYes } from "../../src/approval/memory.ts";
import { sessionHours } from "../../src/approval/offer.ts";
import { type Gate, type GateOptions, queueApprover } from "../../src/index.ts";
import { RuleIndex } from "../../src/policy/rule-index.ts";
import { compileRule, type RuleText } from "../../src/policy/rule.ts";
import { openApprovals } from "../../src/store/approvals.ts";
import { answerTo, scripted, type ScriptedApprover, waitingQuestion } from "../fixtures/approver.ts";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { exec, ran, refused } from "../fixtures/run.ts";

interface Bench {
  readonly directories: TestDirectories;
  readonly approver: ScriptedApprover;
  readonly open: (options?: Partial<GateOptions>) => Gate;
}

function newBench(t: TestContext): Bench {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  for (const name of ["a", "ab", "a/deep", "b"]) mkdirSync(`${directories.outside}/${name}`);
  const approver = scripted();
  return {
    directories,
    approver,
    open(options = {}) {
      const gate = openGate(directories, {}, { approvers: [approver], session: "s1", ...options });
      t.after(() => gate.close());
      return gate;
    },
  };
}

const look = (gate: Gate, cwd: string, ...words: string[]) => exec(gate, ["/bin/echo", "hi", ...words], { cwd });
const configDirectory = (directories: TestDirectories) => `${directories.base}/config/sallyport`;

test("once is once: the same call is asked about again", async (t) => {
  const { approver, open, directories } = newBench(t);
  const gate = open();
  for (const times of [1, 2, 3]) {
    ran(await look(gate, directories.outside));
    assert.equal(approver.asked.length, times);
  }
});

test("a session's yes holds for the same effect in any call, and for nothing beside it", async (t) => {
  const { approver, open, directories } = newBench(t);
  const gate = open();
  approver.says = () => ({ scope: "session" });
  ran(await look(gate, `${directories.outside}/a`));
  assert.equal(approver.asked.length, 1);
  approver.says = () => ({ decision: "deny" });
  ran(await look(gate, `${directories.outside}/a`));
  ran(await look(gate, `${directories.outside}/a`, "other", "words"));
  ran(await look(gate, `${directories.outside}/a/deep`));
  assert.equal(approver.asked.length, 1, "not asked again");
  for (const neighbour of ["ab", "b", "."]) {
    refused(await look(gate, `${directories.outside}/${neighbour}`));
  }
  assert.equal(approver.asked.length, 4, "its neighbours and what lies above are asked about");
});

test("a session's yes holds neither in another session, nor for another agent", async (t) => {
  const { approver, open, directories } = newBench(t);
  approver.says = () => ({ scope: "session" });
  const { agents } = JSON.parse(configText(directories)) as { agents: { default: object } };
  const two = JSON.stringify({ version: 1, agents: { default: agents.default, other: agents.default } });
  ran(await look(open({ configText: two }), directories.outside));
  approver.says = () => ({ decision: "deny" });
  ran(await look(open({ configText: two }), directories.outside)); // another process with the same session
  for (const options of [{ session: "s2" }, { agent: "other" }])
    refused(await look(open({ configText: two, ...options }), directories.outside));
  assert.equal(approver.asked.length, 3);
});

for (const scope of ["project", "everywhere"] as const) {
  test(`${scope}: stored under the configuration, for a new gate and session too, and no other agent`, async (t) => {
    const { approver, open, directories } = newBench(t);
    approver.says = () => ({ scope });
    ran(await look(open(), directories.outside));
    approver.says = () => ({ decision: "deny" });
    ran(await look(open({ session: "another" }), directories.outside));
    assert.equal(approver.asked.length, 1);

    const { agents } = JSON.parse(configText(directories)) as { agents: { default: object } };
    const two = JSON.stringify({ version: 1, agents: { default: agents.default, other: agents.default } });
    refused(await look(open({ agent: "other", configText: two }), directories.outside));
    const elsewhere = await look(open({ project: directories.root }), directories.outside);
    assert.equal(elsewhere.ok, scope === "everywhere");

    const [file = "", ...more] = ruleFiles(directories);
    assert.equal(more.length, 0);
    const text = readFileSync(file, "utf8");
    for (const line of [
      "decide: allow",
      "effect: read",
      `path: ${directories.outside}`,
      "answer: true",
      "agent: default",
      "by: ann",
      /added: \d{4}-/,
      /question: q-/,
    ])
      assert.match(text, typeof line === "string" ? new RegExp(`^${line}$`, "m") : line);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(configDirectory(directories), { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".draft"),
      ),
      [],
    );
  });
}

function ruleFiles(directories: TestDirectories): string[] {
  const rules = `${configDirectory(directories)}/rules`;
  return readdirSync(rules, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => `${rules}/${name}`);
}

test("an answer that was removed is asked about again at the next call of a gate that is open", async (t) => {
  const { approver, open, directories } = newBench(t);
  const gate = open();
  approver.says = () => ({ scope: "project" });
  ran(await look(gate, directories.outside));
  ran(await look(gate, directories.outside));
  assert.equal(approver.asked.length, 1);
  for (const file of ruleFiles(directories)) rmSync(file);
  approver.says = () => ({ scope: "session" });
  ran(await look(gate, directories.outside));
  assert.equal(approver.asked.length, 2);

  const other = openApprovals(directories.state); // another process
  t.after(() => other.close());
  const [kept, ...more] = other.sessionAnswers.list("s1");
  assert.deepEqual([kept?.rule, more], [{ decide: "allow", effect: "read", path: directories.outside }, []]);
  assert.deepEqual([kept?.origin.who, kept?.origin.session, kept?.origin.agent], ["ann", "s1", "default"]);
  assert.equal(other.sessionAnswers.remove(kept?.id ?? ""), true);
  assert.equal(other.sessionAnswers.remove(kept?.id ?? ""), false);
  ran(await look(gate, directories.outside));
  assert.equal(approver.asked.length, 3);
});

test("a session's yes ends after 12 hours", (t) => {
  const { directories } = newBench(t);
  let now = 1_000_000;
  const approvals = openApprovals(directories.state, { clock: { now: () => now, monotonic: () => now } });
  t.after(() => approvals.close());
  const { sessionAnswers } = approvals;
  const origin: AnswerOrigin = { question: "q", who: "ann", at: now, agent: "default", session: "s1", project: "/p" };
  sessionAnswers.add([{ decide: "allow", effect: "read", path: "/srv" }], origin);
  now += sessionHours * 3_600_000 - 1;
  assert.deepEqual([sessionAnswers.rules("s1", "default").length, sessionAnswers.list(null).length], [1, 1]);
  now += 1;
  assert.deepEqual([sessionAnswers.rules("s1", "default").length, sessionAnswers.list(null).length], [0, 0]);
  assert.equal(sessionHours, 12);
});

test("a remembered yes never answers a deny, and a no for good is one", async (t) => {
  const { approver, open, directories } = newBench(t);
  const gate = open();
  approver.says = () => ({ scope: "everywhere" });
  ran(await look(gate, directories.outside));
  const { agents } = JSON.parse(configText(directories)) as { agents: object };
  const rules = [{ decide: "deny", effect: "read", path: directories.outside, because: "closed" }];
  const denied = refused(
    await look(open({ configText: JSON.stringify({ version: 1, agents, policy: { rules } }) }), directories.outside),
  );
  assert.equal(denied.error, "fs_denied");
  assert.match(denied.message, /closed/);
  ran(await look(gate, directories.outside)); // control: without the rule the yes holds

  approver.says = () => ({ decision: "deny", scope: "project", reason: "never there" });
  assert.match(refused(await look(gate, "/var")).message, /never there/);
  approver.says = () => ({});
  assert.equal(refused(await look(gate, "/var")).error, "fs_denied");
  assert.equal(approver.asked.length, 2, "not asked again");
});

test("what cannot be stored counts once, and says so to who answered and to the log", async (t) => {
  const { open, directories } = newBench(t);
  const gate = open({ approvers: [(answerService) => queueApprover(answerService.queue)] });
  const watcher = await gate.answerService.queue.watch("review");
  const call = look(gate, directories.outside);
  const question = await waitingQuestion(gate);
  writeFileSync(`${configDirectory(directories)}/rules`, "in the way, also for root");
  const settled = await gate.answerService.answer(question.id, answerTo(question, { scope: "everywhere" }));
  assert.ok("decision" in settled);
  assert.deepEqual([settled.decision, settled.scope], ["allow", "once"]);
  assert.match(settled.note ?? "", /could not be stored, so it counts once/);
  ran(await call);
  await watcher.leave();
  rmSync(`${configDirectory(directories)}/rules`);
  assert.equal(refused(await look(gate, directories.outside)).error, "fs_denied", "it was asked about again");
  const [entry] = [...gate.journal.list({ event: "approval.answered" })];
  assert.match(JSON.stringify(entry?.outcome), /counts once/);
  assert.deepEqual([...gate.journal.list({ event: "policy.changed" })], []);
});

test("a yes that covers a shell in general, however it came to be stored, does not answer for one", () => {
  const indexOf = (text: Partial<RuleText>) => {
    const rule = compileRule({ decide: "allow", effect: "run", ...text } as RuleText, "r", "test");
    assert.ok(rule.ok);
    return new RuleIndex([rule.value]);
  };
  const run = (...argv: string[]): Effect => ({ kind: "run", program: `/usr/bin/${argv[0]}`, argv, at: "start" });
  for (const general of [{ program: "/usr/**" }, { argv: ["*", "**"] }, {}]) {
    assert.equal(rememberedYes(indexOf(general), run("bash", "-c", "id")), null);
    assert.equal(rememberedYes(indexOf(general), run("ls")), "r", "control");
  }
  const exact = indexOf({ program: "/usr/bin/bash", argv: ["bash", "-c", "id"] });
  assert.equal(rememberedYes(exact, run("bash", "-c", "id")), "r");
  assert.equal(rememberedYes(exact, run("bash", "-c", "id;id")), null);
});
