// examples/ai-sdk-agent.ts, driven by the AI SDK's mock model through a whole task: pull, test, mend, test, stage, push.
// A scripted person looks at the question in the queue and answers it.

import "../fixtures/own-package.ts";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Gate, Question } from "../../src/index.ts";
import { answerTo, waitingQuestion } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { commit, git, makeRepository } from "../fixtures/git.ts";
import { lastResult, scriptedModel } from "../fixtures/scripted-model.ts";

const { openAgentGate, runAgent } = await import("../../examples/ai-sdk-agent.ts");

const files = {
  "add.sh": "echo $(($1 - $2))\n",
  "test.sh": '[ "$(bash add.sh 2 3)" = 5 ] && echo "1 passed" || { echo "1 failed"; exit 1; }\n',
};

function setUp(t: TestContext) {
  const directories = makeTestDirectories();
  const home = join(directories.base, "home");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Grace Example\n\temail = grace@example.org\n");
  process.env["HOME"] = home;
  process.env["XDG_STATE_HOME"] = directories.state;
  const repo = makeRepository(join(directories.root, "sums"), { isUnborn: true });
  commit(repo, "first", files);
  const gate = openAgentGate(repo);
  t.after(() => {
    gate.close();
    directories.remove();
  });
  return { repo, gate };
}

const target = { type: "local", path: ".", branch: "mend-add" };
const taskModel = () =>
  scriptedModel([
    { tool: "git_pull", input: { source: { type: "local", path: "." }, paths: ["."] } },
    { tool: "Bash", input: { script: "bash test.sh" } },
    (last) => {
      assert.match(last, /^exit code 1 .*\n1 failed/, "the model sees the failing test");
      return { tool: "edit_file", input: { path: "add.sh", old_text: "$1 - $2", new_text: "$1 + $2" } };
    },
    { tool: "Bash", input: { script: "bash test.sh", expect: { files: ["add.sh"] } } },
    (last) => {
      assert.match(last, /^exit code 0 .*\n1 passed/);
      return { tool: "git_stage", input: { files: ["add.sh"], message: "Add, do not subtract" } };
    },
    (last) => ({ tool: "git_push", input: { commitId: /^Staged (c-\w+):/.exec(last)?.[1] ?? "", target } }),
    (last) => last,
  ]);

/** Sits at the queue, and answers the one question that comes. */
async function personAt(gate: Gate, more: Parameters<typeof answerTo>[1]): Promise<Question> {
  const seat = await gate.answerService.queue.watch("review");
  try {
    const question = await waitingQuestion(gate);
    await gate.answerService.answer(question.id, answerTo(question, more));
    return question;
  } finally {
    await seat.leave();
  }
}

test("the agent does its task, and what a person agreed to lands on its own branch", async (t) => {
  const { repo, gate } = setUp(t);
  const model = taskModel();
  const [said, question] = await Promise.all([runAgent(model, "The test fails. Mend it.", gate), personAt(gate, {})]);
  assert.match(said, /branch mend-add, which is new$/);
  assert.match(question.text, /Add, do not subtract/);
  assert.equal(git(repo, ["show", "mend-add:add.sh"]), "echo $(($1 + $2))\n");
  assert.equal(git(repo, ["log", "-1", "--format=%s", "mend-add"]), "Add, do not subtract\n");
  assert.equal(git(repo, ["show", "main:add.sh"]), "echo $(($1 - $2))\n", "main is as it was");
  assert.equal(gate.journal.verify().ok, true);
});

test("what a person refuses does not land, and the model reads why", async (t) => {
  const { repo, gate } = setUp(t);
  const model = taskModel();
  const no = { decision: "deny", reason: "not before the release" } as const;
  await Promise.all([runAgent(model, "The test fails. Mend it.", gate), personAt(gate, no)]);
  assert.match(lastResult(model.doGenerateCalls.at(-1)?.prompt), /^approval_denied: .*not before the release/);
  assert.equal(git(repo, ["branch", "--list", "mend-add"]), "");
});
