// How often a push to another machine asks: through the queue two answers, with a rule none, and a place that nobody
// named is never spoken to.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { createGate, createRegistry, type Gate, queueApprover, registerBuiltinTools } from "../../src/index.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { answerTo } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { httpHost } from "../fixtures/remote-repositories.ts";

const directories = makeTestDirectories();
mkdirSync(join(directories.outside, "host"));
const host = await httpHost(join(directories.outside, "host"), "correct-horse-4711-battery");
after(async () => {
  await host.close();
  directories.remove();
});

let count = 0;

/** Each try in a gate of its own, as `sallyport call` makes them, on one state. */
function newTries(rules: readonly RuleText[] = []) {
  count += 1;
  const state = join(directories.state, String(count));
  async function use<T>(work: (gate: Gate) => Promise<T>): Promise<T> {
    const registry = createRegistry();
    registerBuiltinTools(registry);
    const before = { ...process.env };
    Object.assign(process.env, host.environment);
    const gate = createGate({
      registry,
      statePath: state,
      project: directories.project,
      session: "tries",
      configText: JSON.stringify({
        version: 1,
        agents: { default: { tool_grants: ["git_*", "*_file"] } },
        policy: { rules },
      }),
      approvers: [(answerService) => queueApprover(answerService.queue)],
    });
    process.env = before;
    try {
      return await work(gate);
    } finally {
      gate.close();
    }
  }
  const call = (tool: string, args: object) => use((gate) => gate.call({ tool, args }));
  return {
    call,
    async stage(): Promise<string> {
      assert.ok((await call("write_file", { path: "report.md", content: "# Report\n" })).ok);
      const staged = await call("git_stage", { files: ["report.md"], message: "Add the report" });
      assert.ok(staged.ok);
      return String(staged.result["id"]);
    },
    /** What waits, in words; and yes, or no, to all of it. */
    waiting: () => use(async (gate) => (await gate.answerService.queue.waiting()).map(({ question }) => question)),
    answer: (decision: "allow" | "deny" = "allow") =>
      use(async ({ answerService }) => {
        const all = await answerService.queue.waiting();
        for (const { question } of all) await answerService.answer(question.id, answerTo(question, { decision }));
        return all.length;
      }),
  };
}

test("through the queue, with a yes that counts once, a push takes two answers and two retries", async () => {
  const repository = await host.repository();
  const tries = newTries();
  const push = { commitId: await tries.stage(), target: { ...repository.target, branch: "reports" } };
  const begin = host.contacts();
  const first = await tries.call("git_push", push);
  assert.ok(!first.ok);
  assert.ok(first.message.startsWith(`Not allowed to look at ${repository.place}, to push to it`), first.message);
  const [question] = await tries.waiting();
  assert.match(question?.text ?? "", /does +contact http:\S+, to push to its branch reports/);
  assert.doesNotMatch(question?.text ?? "", /pull|\/workspace/);
  assert.equal(host.contacts(), begin, "nobody was spoken to");
  assert.equal(await tries.answer(), 1);

  const second = await tries.call("git_push", push);
  assert.ok(!second.ok);
  assert.match(second.message, /^Not allowed to push to /);
  // Once more before anybody has answered: it is the same question that waits.
  const third = await tries.call("git_push", push);
  assert.ok(!third.ok);
  assert.match(third.message, /^Not allowed to push to /);
  assert.equal(await tries.answer(), 1);

  const fourth = await tries.call("git_push", push);
  assert.ok(fourth.ok, JSON.stringify(fourth));
  assert.equal(await repository.head("reports"), fourth.result["commitSha"]);
  assert.deepEqual(await tries.waiting(), []);
});

test("a push that is settled is no right to look there again, nor is one to another place or branch, nor for a pull", async () => {
  const [repository, other] = [await host.repository(), await host.repository()];
  const tries = newTries();
  const commitId = await tries.stage();
  const target = { ...repository.target, branch: "reports" };
  await tries.call("git_push", { commitId, target });
  await tries.answer();
  await tries.call("git_push", { commitId, target });
  assert.equal((await tries.waiting())[0]?.action.push?.branch, "reports", "control: the push waits");
  const begin = host.contacts();
  for (const [tool, args] of [
    ["git_push", { commitId, target: { ...repository.target, branch: "elsewhere" } }],
    ["git_push", { commitId, target: { ...other.target, branch: "reports" } }],
    ["git_pull", { source: target, paths: ["."] }],
  ] as const) {
    const reply = await tries.call(tool, args);
    assert.ok(!reply.ok);
    assert.match(reply.message, /^Not allowed to (?:look at|pull from) /);
  }
  assert.equal(host.contacts(), begin);
  await tries.answer("deny");
  const settled = await tries.call("git_push", { commitId, target });
  assert.ok(!settled.ok && /^Not allowed to look at |said no/.test(settled.message), JSON.stringify(settled));
  assert.equal(host.contacts(), begin, "a no settles it");
});

test("a rule for the push is enough to look at its target, and there alone", async () => {
  const [repository, other] = [await host.repository(), await host.repository()];
  const tries = newTries([{ decide: "allow", effect: "push", target: repository.place, branch: "reports" }]);
  const commitId = await tries.stage();
  const begin = host.contacts();
  for (const target of [
    { ...repository.target, branch: "elsewhere" },
    repository.target,
    { ...other.target, branch: "reports" },
  ]) {
    const reply = await tries.call("git_push", { commitId, target });
    assert.ok(!reply.ok);
    assert.match(reply.message, /^Not allowed to look at /);
  }
  const pulled = await tries.call("git_pull", { source: repository.target, paths: ["."] });
  assert.ok(!pulled.ok);
  assert.equal(host.contacts(), begin);
  const pushed = await tries.call("git_push", { commitId, target: { ...repository.target, branch: "reports" } });
  assert.ok(pushed.ok, JSON.stringify(pushed));
});

test("who denies looking there, or asks about it, is not overruled by a rule for the push", async () => {
  const repository = await host.repository();
  const allow = { decide: "allow", effect: "push", target: repository.place, branch: "reports" } as const;
  const begin = host.contacts();
  for (const decide of ["deny", "ask"] as const) {
    const tries = newTries([allow, { decide, effect: "pull", target: "http://*" }]);
    const commitId = await tries.stage();
    const reply = await tries.call("git_push", { commitId, target: { ...repository.target, branch: "reports" } });
    assert.ok(!reply.ok);
    assert.equal(reply.error, decide === "deny" ? "permission_denied" : "no_approver");
  }
  assert.equal(host.contacts(), begin);
});
