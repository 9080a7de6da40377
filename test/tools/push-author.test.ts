// Whose name a commit bears: one that a person has written somewhere; a guess is said to be one.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { queueApprover } from "../../src/index.ts";
import { answerTo } from "../fixtures/approver.ts";
import { git } from "../fixtures/git.ts";
import { headOf, newWorld, person, type Tools, type GitGates } from "../fixtures/git-gates.ts";

const target = { type: "local", path: ".", branch: "x" };
let count = 0;

async function staged(tools: Tools): Promise<{ commitId: string; target: typeof target }> {
  await tools.write("a.txt", `${count++}\n`);
  return { commitId: (await tools.stage(["a.txt"])).id, target };
}

async function landed(world: GitGates, tools: Tools): Promise<string> {
  await tools.done("git_push", await staged(tools));
  const people = git(world.repo, ["log", "-1", "--format=%an <%ae>\n%cn <%ce>", "x"]).trim().split("\n");
  assert.equal(people[0], people[1], "author and committer");
  assert.equal(tools.person.asked.at(-1)?.action.push?.author, people[0], "as the question says");
  return people[0] as string;
}

test("an included file, a condition on the repository, and the repository's own word, each over the one before", async () => {
  const world = newWorld();
  const tools = world.open();
  assert.equal(await landed(world, tools), `${person.name} <${person.email}>`);
  writeFileSync(join(world.home, "inc"), "[user]\n\tname = Included\n\temail = inc@example.org\n");
  writeFileSync(join(world.home, ".gitconfig"), "[include]\n\tpath = inc\n");
  assert.equal(await landed(world, tools), "Included <inc@example.org>");
  writeFileSync(join(world.home, "work"), "[user]\n\temail = me@corp.example\n");
  writeFileSync(
    join(world.home, ".gitconfig"),
    `[include]\n\tpath = inc\n[includeIf "gitdir:${world.repo}/"]\n\tpath = work\n`,
  );
  assert.equal(await landed(world, tools), "Included <me@corp.example>");
  git(world.repo, ["config", "user.email", "work@corp.example"]);
  assert.equal(await landed(world, tools), "Included <work@corp.example>");
  git(world.repo, ["config", "user.name", "Work Me"]);
  assert.equal(await landed(world, tools), "Work Me <work@corp.example>");
});

test("a repository includes nothing: only its own text counts", async () => {
  const world = newWorld();
  writeFileSync(join(world.directories.root, "theirs"), "[user]\n\tname = Somebody Else\n");
  git(world.repo, ["config", "include.path", join(world.directories.root, "theirs")]);
  assert.equal(git(world.repo, ["config", "user.name"]).trim(), "Somebody Else", "control: git follows it");
  assert.equal(await landed(world, world.open()), `${person.name} <${person.email}>`);
});

test("where nobody has written who commits, the question says that it is a guess", async () => {
  const world = newWorld();
  writeFileSync(join(world.home, ".gitconfig"), "[core]\n\tpager = less\n");
  const tools = world.open();
  await landed(world, tools);
  assert.match(
    tools.person.asked.at(-1)?.text ?? "",
    /the author is a guess: git has no user\.name and no user\.email/,
  );
  writeFileSync(join(world.home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.org\n");
  assert.equal(await landed(world, tools), "A <a@example.org>");
  assert.doesNotMatch(tools.person.asked.at(-1)?.text ?? "", /guess/);
});

test("a yes is for the author that was shown: another one meanwhile is another commit, and asked about anew", async () => {
  const world = newWorld();
  const tools = world.open({ approvers: [(answerService) => queueApprover(answerService.queue)], timeoutS: 1 });
  const push = await staged(tools);
  const watcher = await tools.gate.answerService.queue.watch("review");
  assert.equal((await tools.refused("git_push", push)).error, "approval_timeout");
  const [first] = await tools.gate.answerService.queue.waiting();
  assert.ok(first !== undefined);
  git(world.repo, ["config", "user.name", "Other"]);
  await tools.gate.answerService.answer(first.question.id, answerTo(first.question));
  assert.equal((await tools.refused("git_push", push)).error, "approval_timeout");
  const second = (await tools.gate.answerService.queue.waiting()).at(-1);
  assert.notEqual(second?.question.action.push?.commit, first.question.action.push?.commit);
  assert.match(second?.question.text ?? "", /author +Other </);
  git(world.repo, ["config", "--unset", "user.name"]);
  const { commitSha } = await tools.done("git_push", push);
  await watcher.leave();
  assert.equal(commitSha, first.question.action.push?.commit, "as it was, it has the same id and finds its answer");
  assert.equal(headOf(world.repo, "x"), commitSha);
});

test("a repository that an agent may write to does not say who commits, and the question says what was passed over", async () => {
  const world = newWorld();
  git(world.repo, ["config", "user.name", "$(touch marker)"]);
  git(world.repo, ["config", "user.email", person.email]);
  assert.equal(await landed(world, world.open()), `$(touch marker) <${person.email}>`, "one that it can only read may");
  const tools = world.open({ mode: "rw", session: "rw" });
  assert.equal(await landed(world, tools), `${person.name} <${person.email}>`);
  const { text = "" } = tools.person.asked.at(-1) ?? {};
  assert.match(text, /the author is not the repository's own \(user\.name = .*git\.author/s);
  assert.doesNotMatch(text, /user\.email =/, "only what differs");
});
