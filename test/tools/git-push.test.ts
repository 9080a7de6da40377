// What stands between a staged commit and a target: questions, answers, rules, grants, and what the target says itself.

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { allowAll, type Approver, queueApprover } from "../../src/index.ts";
import { answerUseOf } from "../../src/approval/answer-use.ts";
import { callEndOf } from "../../src/audit/call-end.ts";
import { notAskedAbout } from "../../src/runtime/staged-commits.ts";
import { openStagedStore } from "../../src/store/staged.ts";
import { answerTo } from "../fixtures/approver.ts";
import { commit, git, makeRepository, plainGit } from "../fixtures/git.ts";
import { headOf, newWorld, seedFiles } from "../fixtures/git-gates.ts";

const analysis = '{\n  "period": "Q4-2024",\n  "status": "final"\n}\n';
const report = "# Q4 2024 Report\n\n## Summary\nRevenue increased by 15% compared to Q3.\n";

test("a retried push has the same commit id, and finds the answer that was given meanwhile", async () => {
  const world = newWorld();
  const tools = world.open({ approvers: [(answerService) => queueApprover(answerService.queue)], timeoutS: 1 });
  await tools.write("report.md", report);
  const { id } = await tools.stage(["report.md"]);
  const push = { commitId: id, target: { type: "local", path: ".", branch: "x" } };
  const watcher = await tools.gate.answerService.queue.watch("review");
  assert.equal((await tools.refused("git_push", push)).error, "approval_timeout");
  await watcher.leave();
  const [waiting] = await tools.gate.answerService.queue.waiting();
  assert.ok(waiting !== undefined);
  const { question } = (await tools.gate.answerService.queue.find(waiting.question.id)) ?? {};
  assert.ok((question?.diff ?? []).length > 0, "its diff is kept with it");
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await tools.gate.answerService.answer(waiting.question.id, answerTo(waiting.question));
  const again = world.open({ approvers: [(answerService) => queueApprover(answerService.queue)], timeoutS: 1 });
  const { commitSha } = await again.done("git_push", push);
  assert.equal(commitSha, waiting.question.action.push?.commit);
  assert.equal(headOf(world.repo, "x"), commitSha);
  const use = await answerUseOf(again.gate.answerService.queue, waiting.question.id);
  assert.ok(use.state === "taken" && use.call !== null);
  const story = [...again.gate.journal.list({ order: "oldest" })].filter(({ call_id }) => call_id === use.call);
  const text = `It landed on branch x of ${world.repo} as ${String(commitSha).slice(0, 12)}.`;
  assert.deepEqual(callEndOf(story), { isGood: true, text, link: null }, "what the person is told");
});

test("the message that is asked about is the one that lands, trailer and all", async () => {
  const world = newWorld();
  const tools = world.open({ approvers: [(answerService) => queueApprover(answerService.queue)], timeoutS: 1 });
  await tools.write("report.md", report);
  const { id } = await tools.stage(["report.md"], "Add the report\n\nReviewed-by: Ada <ada@example.org>\n\n");
  const push = { commitId: id, target: { type: "local", path: ".", branch: "x" } };
  await tools.refused("git_push", push);
  const { queue } = tools.gate.answerService;
  const [waiting] = await queue.waiting();
  assert.ok(waiting !== undefined);
  const { action, text } = waiting.question;
  assert.match(text, /\| Reviewed-by: Ada <ada@example\.org>\n {2}message {4}\| Sallyport-Agent: default\n {2}author/);
  await tools.gate.answerService.answer(waiting.question.id, answerTo(waiting.question));
  const { commitSha } = await tools.done("git_push", push);
  const [, ...message] = git(world.repo, ["cat-file", "commit", String(commitSha)]).split("\n\n");
  assert.equal(action.push?.message, message.join("\n\n"));
});

test("a staged commit is listed beside the question about another one that has the same message", async () => {
  const world = newWorld();
  const tools = world.open({ approvers: [(answerService) => queueApprover(answerService.queue)], timeoutS: 1 });
  await tools.write("report.md", report);
  await tools.write("analysis.json", analysis);
  const [asked, other] = [await tools.stage(["report.md"], "wip"), await tools.stage(["analysis.json"], "wip")];
  const store = openStagedStore(world.directories.state);
  const rest = async () =>
    notAskedAbout(store.list(null), await tools.gate.answerService.queue.waiting()).map(({ id }) => id);
  assert.deepEqual(await rest(), [asked.id, other.id]);
  const target = { type: "local", path: ".", branch: "x" };
  await tools.refused("git_push", { commitId: asked.id, target });
  assert.equal((await tools.gate.answerService.queue.waiting()).length, 1);
  assert.deepEqual(await rest(), [other.id]);
  store.close();
});

test("a push that landed, sent again, gets the same answer: nobody is asked, nothing changes, also after a restart", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("report.md", report);
  const { id: commitId } = await tools.stage(["report.md"]);
  const target = { type: "local", path: ".", branch: "x" };
  const first = await tools.done("git_push", { commitId, target });
  const after = headOf(world.repo, "x");
  const restarted = world.open({ approvers: [] });
  for (const [again, args] of [
    [tools, { commitId, target }],
    [tools, { commitId }],
    [restarted, { commitId, target }],
    [restarted, { commitId, target: { ...target, path: join(world.repo, "templates", "..") } }],
  ] as const)
    assert.deepEqual(await again.done("git_push", args), first);
  assert.equal(tools.person.asked.length, 1);
  assert.equal(headOf(world.repo, "x"), after);
  assert.equal(tools.events("commit.pushed").length, 1);
  const stranger = world.open({ session: "another" });
  assert.match((await stranger.refused("git_push", { commitId })).message, /no staged commit/);
});

test("what landed goes nowhere else, and cannot be discarded or shown: each says where it is", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("report.md", report);
  const { id: commitId } = await tools.stage(["report.md"]);
  const first = await tools.done("git_push", { commitId, target: { type: "local", path: ".", branch: "x" } });
  const where = `landed as ${String(first["commitSha"])} on x of ${world.repo}`;
  for (const target of [
    { type: "local", path: ".", branch: "y" },
    { type: "local", path: "." },
    { type: "local-bare", path: world.bare, branch: "x" },
    { type: "github", repo: "owner/name", branch: "x" },
    { type: "remote", url: "https://example.org/a.git", branch: "x" },
  ]) {
    const refused = await tools.refused("git_push", { commitId, target });
    assert.equal(refused.error, "conflict");
    assert.ok(refused.message.includes(where), refused.message);
    assert.match(refused.hint ?? "", /Stage the files again/);
  }
  for (const tool of ["git_discard", "git_diff"]) {
    const refused = await tools.refused(tool, { commitId });
    assert.equal(refused.error, "not_found");
    assert.ok(refused.message.includes(where), refused.message);
  }
  assert.equal(tools.person.asked.length, 1);
  assert.equal(plainGit(world.bare, ["rev-parse", "--verify", "refs/heads/x"]).exitCode, 128);
});

test("two pushes of one commit that wait at once: it lands once, and both get the one answer", async () => {
  const world = newWorld();
  const tools = world.open({ approvers: [(answerService) => queueApprover(answerService.queue)] });
  const { queue } = tools.gate.answerService;
  await tools.write("report.md", report);
  const { id: commitId } = await tools.stage(["report.md"]);
  const push = { commitId, target: { type: "local", path: ".", branch: "x" } };
  const watcher = await queue.watch("review");
  let isOver = false;
  const calls = Promise.all([tools.done("git_push", push), tools.done("git_push", push)]).finally(
    () => (isOver = true),
  );
  while (!isOver) {
    for (const { question } of await queue.waiting())
      await tools.gate.answerService.answer(question.id, answerTo(question));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [one, other] = await calls;
  await watcher.leave();
  assert.deepEqual(one, other);
  assert.equal(headOf(world.repo, "x"), one["commitSha"]);
  assert.equal(tools.events("commit.pushed").length, 1);
});

test("two pushes of one commit that land at once: it is noted once, and both get the one answer", async () => {
  const world = newWorld();
  const waiting: (() => void)[] = [];
  const together: Approver = {
    name: "together",
    async ask(question) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const go of waiting) go();
      });
      return answerTo(question);
    },
  };
  const tools = world.open({ approvers: [together] });
  await tools.write("report.md", report);
  const { id: commitId } = await tools.stage(["report.md"]);
  const push = { commitId, target: { type: "local", path: ".", branch: "x" } };
  const [one, other] = await Promise.all([tools.done("git_push", push), tools.done("git_push", push)]);
  assert.deepEqual(one, other);
  assert.equal(headOf(world.repo, "x"), one["commitSha"]);
  assert.equal(tools.events("commit.pushed").length, 1);
});

test("a person's no comes with its reason; without anybody there is no_approver; --dangerously-allow-all never pushes", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("report.md", report);
  const { id } = await tools.stage(["report.md"]);
  const push = { commitId: id, target: { type: "local", path: ".", branch: "x" } };
  tools.person.says = () => ({ decision: "deny", reason: "the numbers are last year's" });
  const said = await tools.refused("git_push", push);
  assert.equal(said.error, "approval_denied");
  assert.match(said.message, /the numbers are last year's/);
  tools.person.says = () => null;
  assert.equal((await tools.refused("git_push", push)).error, "no_approver");
  assert.equal((await world.open({ approvers: [] }).refused("git_push", push)).error, "no_approver");
  assert.equal((await world.open({ approvers: [allowAll] }).refused("git_push", push)).error, "no_approver");
  assert.equal(plainGit(world.repo, ["rev-parse", "--verify", "refs/heads/x"]).exitCode, 128);
  assert.equal(((await tools.done("git_status"))["staged"] as unknown[]).length, 1);
});

test("a rule can deny a push, or allow one to an unprotected branch of one target; a protected one is asked all the same", async () => {
  const world = newWorld();
  const { repo } = world;
  const allow = (branch: string) => ({ decide: "allow", effect: "push", target: repo, branch }) as const;
  const rules = [allow("bot"), allow("main"), { decide: "deny", effect: "push", branch: "frozen" } as const];
  const tools = world.open({ rules });
  const push = async (branch: string, text: string) => {
    await tools.write("report.md", text);
    const { id } = await tools.stage(["report.md"]);
    return tools.call("git_push", { commitId: id, target: { type: "local", path: ".", branch } });
  };
  const denied = await push("frozen", "0\n");
  assert.equal(denied.ok ? "" : denied.error, "permission_denied");
  assert.equal((await push("bot", "1\n")).ok, true);
  assert.equal(tools.person.asked.length, 0);
  assert.equal((await push("main", "2\n")).ok, true);
  assert.equal(tools.person.asked.length, 1);
  assert.equal((await push("other", "3\n")).ok, true);
  assert.equal(tools.person.asked.length, 2);
  assert.deepEqual(
    tools.person.asked[1]?.offers.filter(({ decision }) => decision === "allow").map(({ scope }) => scope),
    ["once"],
  );
});

test("a branch that moved after the question is a conflict; what was staged is still there", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("report.md", report);
  const { id } = await tools.stage(["report.md"]);
  const push = { commitId: id, target: { type: "local", path: "." } };
  tools.person.says = () => {
    commit(world.repo, "meanwhile", { "other.txt": "x\n" });
    return {};
  };
  const refused = await tools.refused("git_push", push);
  assert.ok(["conflict", "changed"].includes(refused.error), refused.error);
  assert.equal(git(world.repo, ["log", "-1", "--format=%s"]), "meanwhile\n");
  tools.person.says = () => ({});
  await tools.done("git_push", push);
  assert.equal(tools.person.asked.length, 2, "asked again, for what it is now");
  assert.equal(git(world.repo, ["log", "-2", "--format=%s"]), "Add quarterly report\nmeanwhile\n");
});

test("what is executed later, attributes, and what moved since the pull are warnings in the question", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.done("git_pull", { source: { type: "local", path: "." }, paths: ["analysis.json"] });
  commit(world.repo, "meanwhile", { "analysis.json": "{}\n" });
  await tools.write("analysis.json", analysis);
  await tools.write(".gitattributes", "* text\n");
  await tools.write(".vscode/tasks.json", "{}\n");
  const { id } = await tools.stage(["analysis.json", ".gitattributes", ".vscode/tasks.json"]);
  await tools.done("git_push", { commitId: id, target: { type: "local", path: ".", branch: "x" } });
  const [question] = tools.person.asked;
  const warned = (question?.action.push?.warnings ?? []).map((warning) => warning.split(":")[0]);
  assert.deepEqual(warned, [".vscode/tasks.json", ".gitattributes", "analysis.json"]);
  for (const warning of question?.action.push?.warnings ?? []) assert.ok(question?.text.includes(warning), warning);
});

test("what came from one repository, or landed in it, can go to another as it is", async () => {
  const world = newWorld();
  const tools = world.open();
  const other = makeRepository(join(world.directories.root, "other"));
  await tools.done("git_pull", { source: { type: "local", path: "." }, paths: ["templates/report.md"] });
  const files = ["templates/report.md", "report.md"];
  await tools.write("report.md", report);
  await tools.done("git_push", {
    commitId: (await tools.stage(["report.md"])).id,
    target: { type: "local", path: ".", branch: "x" },
  });
  await tools.done("git_push", { commitId: (await tools.stage(files)).id, target: { type: "local", path: other } });
  assert.equal(git(other, ["ls-files"]), "a.txt\nreport.md\ntemplates/report.md\n");
  const again = (await tools.stage(files)).id;
  assert.equal(
    (await tools.refused("git_push", { commitId: again, target: { type: "local", path: other } })).error,
    "conflict",
  );
});

test("what the target has already is not pushed again", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("README.md", seedFiles["README.md"] as string);
  const { id } = await tools.stage(["README.md"]);
  const refused = await tools.refused("git_push", { commitId: id, target: { type: "local", path: "." } });
  assert.equal(refused.error, "conflict");
  assert.equal(tools.person.asked.length, 0);
});

test("a grant to read is enough; without one the target is fs_denied, and what is no repository invalid_args", async () => {
  const world = newWorld();
  const elsewhere = makeRepository(join(world.directories.outside, "theirs"));
  mkdirSync(join(world.directories.root, "plain"));
  const tools = world.open();
  await tools.write("report.md", report);
  const { id } = await tools.stage(["report.md"]);
  const push = (target: object) => tools.refused("git_push", { commitId: id, target });
  assert.equal((await push({ type: "local", path: elsewhere })).error, "fs_denied");
  assert.equal((await push({ type: "local", path: join(world.directories.root, "plain") })).error, "invalid_args");
  assert.equal((await push({ type: "local-bare", path: world.repo })).error, "invalid_args");
  assert.equal((await tools.refused("git_push", { commitId: id })).error, "invalid_args");
  assert.equal(existsSync(join(world.directories.root, "plain/.git")), false);
  assert.equal(tools.person.asked.length, 0);
});

test("a path that the target keeps with LFS is refused before anybody is asked", async () => {
  const world = newWorld();
  commit(world.repo, "attributes", {
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\nsmall.bin -filter\n",
    "deep/.gitattributes": "*.iso filter=lfs\nimages/** filter=lfs\n",
    "deep/plain.txt": "x\n",
  });
  const tools = world.open();
  const names = {
    "a.bin": true,
    "sub/b.bin": true,
    "small.bin": false,
    "c.iso": false,
    "deep/d.iso": true,
    "deep/images/x/y": true,
    "deep/z": false,
  };
  for (const [path, isKept] of Object.entries(names)) {
    await tools.write(path, `${path}\n`);
    const { id } = await tools.stage([path]);
    const reply = await tools.call("git_push", {
      commitId: id,
      target: { type: "local", path: ".", branch: `b-${path}` },
    });
    const checked = git(world.repo, ["check-attr", "filter", path]).trim().endsWith(": lfs");
    assert.equal(checked, isKept, `git itself says so of ${path}`);
    assert.equal(reply.ok, !isKept, path);
    if (!reply.ok) assert.match(reply.message, /in LFS/);
  }
  await tools.write(".gitattributes", "*.iso filter=lfs\n");
  const { id } = await tools.stage([".gitattributes", "c.iso"]);
  assert.match(
    (await tools.refused("git_push", { commitId: id, target: { type: "local", path: "." } })).message,
    /c\.iso in LFS/,
  );
});
