// Real projects through the gate, one after another: an agent reads, edits, tests, breaks, repairs, commits and pushes on a draft.
// `npm run test:projects -- NAME...` runs only these.

import assert from "node:assert/strict";
import { chmodSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { git, makeRepository } from "../fixtures/git.ts";
import { type Agent, openAgent } from "./agent-task.ts";
import { type Checkout, differences, makeCheckout, stateOf } from "./checkout.ts";
import { type Ended, runOutside } from "./outside.ts";
import type { Project } from "./project.ts";
import { projects } from "./projects.ts";

const names = process.argv.slice(2);
const branch = "sallyport/task";

for (const name of names)
  assert.ok(
    projects.some((project) => project.name === name),
    `There is no project ${name}.`,
  );

test("the comparison of a repository sees every change but the new branch", () => {
  const directories = makeTestDirectories();
  try {
    const repository = makeRepository(directories.project);
    const before = stateOf(repository);
    const changes = (): string[] =>
      differences(before, stateOf(repository), branch).map((line) => line.slice(0, line.indexOf(":")));
    const tree = git(repository, ["mktree"], { input: "" }).trim();
    git(repository, ["branch", branch, git(repository, ["commit-tree", "-p", "main", "-m", "new", tree]).trim()]);
    assert.deepEqual(changes(), []);
    utimesSync(join(repository, "a.txt"), 1, 1);
    writeFileSync(join(repository, "b.txt"), "");
    git(repository, ["tag", "other"]);
    git(repository, ["symbolic-ref", "HEAD", "refs/heads/other"]);
    git(repository, ["rm", "-q", "--cached", "a.txt"]);
    const object = [...before.keys()].find((path) => /objects\/..\/./.test(path)) ?? "";
    chmodSync(join(repository, object), 0o600);
    const changed = ["", "/.git/HEAD", object, "/.git/refs/tags", "/.git/refs/tags/other", "/a.txt", "/b.txt"];
    assert.deepEqual(changes().toSorted(), [...changed, "/.git/index"].toSorted());
  } finally {
    directories.remove();
  }
});

for (const project of projects.filter(({ name }) => names.length === 0 || names.includes(name)))
  test(`${project.name}: ${project.kind}`, { timeout: 1_800_000 }, async (context) => {
    const checkout = makeCheckout(project);
    context.after(() => checkout.remove());
    const outside = runOutside(project.test, checkout.directory);
    const expected = { exitCode: 0, passed: passedTests(project, outside) };
    assert.equal(outside.exitCode, 0, outside.output.slice(-4_000));
    assert.ok(expected.passed > 0, `No passed test is named in:\n${outside.output.slice(-4_000)}`);

    const before = stateOf(checkout.directory);
    const agent = openAgent(checkout);
    try {
      const inside = await workOn(project, agent, expected);
      context.diagnostic(`${expected.passed} tests; ${outside.seconds} s outside, ${inside.seconds} s in the draft`);
      await publish(project, agent, checkout);
    } finally {
      agent.gate.close();
      await agent.gate.closed;
    }
    assert.deepEqual(differences(before, stateOf(checkout.directory), branch), []);
  });

/** Edits, and sees the project's own tests pass, fail, and pass again. */
async function workOn(project: Project, agent: Agent, expected: { exitCode: number; passed: number }): Promise<Ended> {
  const { file, text, edited, broken } = project.edit;
  const tested = async (): Promise<Ended> => agent.run(project.test);
  const assertPasses = (ended: Ended): void => {
    const result = { exitCode: ended.exitCode, passed: passedTests(project, ended) };
    assert.deepEqual(result, expected, ended.output.slice(-4_000));
  };

  const { content } = await agent.call("read_file", { path: file });
  assert.equal(String(content).split(text).length, 2, `the text to edit is not once in ${file}`);
  const { content: readme } = await agent.call("read_file", { path: project.readme });
  assert.match(String(readme), /uncommitted line of the person/);

  await agent.call("edit_file", { path: file, old_text: text, new_text: edited });
  assertPasses(await tested());
  await agent.call("edit_file", { path: file, old_text: edited, new_text: broken });
  const failed = await tested();
  assert.notEqual(failed.exitCode, 0, `the tests pass although the code is broken:\n${failed.output.slice(-4_000)}`);
  await agent.call("edit_file", { path: file, old_text: broken, new_text: edited });
  const repaired = await tested();
  assertPasses(repaired);
  return repaired;
}

/** Commits inside, and pushes what was staged to a new branch: one question, for the push. */
async function publish(project: Project, agent: Agent, { directory }: Checkout): Promise<void> {
  const { file, edited } = project.edit;
  const committed = await agent.run('git add -A && git commit -q -m "Say what it means" && git status --porcelain');
  assert.deepEqual([committed.exitCode, committed.output], [0, ""]);
  const changed = await agent.run("git show --name-only --format= HEAD");
  assert.deepEqual([changed.exitCode, changed.output], [0, `${file}\n`], "only the agent's change is in its commit");

  const { id: commitId } = await agent.call("git_stage", { files: [file], message: "Say what it means" });
  assert.deepEqual(
    agent.person.asked.map(({ action }) => action.tool),
    [],
  );
  await agent.call("git_push", { commitId, target: { type: "local", path: ".", branch } });
  assert.deepEqual(
    agent.person.asked.map(({ action }) => action.tool),
    ["git_push"],
  );

  assert.equal(git(directory, ["diff", "--name-only", "main", branch]), `${file}\n`);
  assert.ok(git(directory, ["show", `${branch}:${file}`]).includes(edited));
}

function passedTests({ passed }: Project, { output }: Ended): number {
  // oxlint-disable-next-line no-control-regex
  const plain = output.replaceAll(/\u001b\[[0-9;]*m/g, "");
  return [...plain.matchAll(passed)].reduce((sum, [, count]) => sum + Number(count ?? 1), 0);
}
