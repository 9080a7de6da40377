// Which branch is a clone's default one, and what a person is told of a new branch: what it is built on, and what comes along.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pushHead } from "../../src/cli/review/review-push-view.ts";
import type { ViewStyle } from "../../src/cli/terminal/view-style.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { commit, git } from "../fixtures/git.ts";
import { headOf, newWorld, type Tools } from "../fixtures/git-gates.ts";

/** A clone of a repository whose default branch is develop, with feat checked out. */
function clone() {
  const world = newWorld();
  git(world.repo, ["checkout", "-q", "-b", "develop"]);
  commit(world.repo, "on develop", { "develop.txt": "x\n" });
  const path = join(world.directories.root, "clone");
  git(world.directories.root, ["-c", "protocol.file.allow=always", "clone", "-q", world.repo, path]);
  git(path, ["checkout", "-q", "-b", "feat"]);
  const allow = (branch: string): RuleText => ({ decide: "allow", effect: "push", target: path, branch });
  return { world, path, allow };
}

async function push(tools: Tools, path: string, branch: string, type = "local") {
  const name = `${branch}-${Math.random()}.txt`;
  await tools.write(name, "text\n");
  const { id } = await tools.stage([name]);
  return tools.call("git_push", { commitId: id, target: { type, path, branch } });
}

test("a clone's default branch is its origin's, not what is checked out: the one is asked about, the other not", async () => {
  const { world, path, allow } = clone();
  const tools = world.open({ rules: [allow("feat"), allow("develop")] });
  assert.ok((await push(tools, path, "feat")).ok);
  assert.equal(tools.person.asked.length, 0);
  assert.ok((await push(tools, path, "develop")).ok);
  assert.deepEqual(
    tools.person.asked.map(({ severity, action }) => [severity, action.push?.isProtected]),
    [["high", true]],
  );
});

test("without an origin's word, what is checked out counts: nobody knows better", async () => {
  const { world, path, allow } = clone();
  const tools = world.open({ rules: [allow("feat")] });
  rmSync(join(path, ".git/refs/remotes/origin/HEAD"));
  assert.ok((await push(tools, path, "feat")).ok);
  git(path, ["remote", "remove", "origin"]);
  assert.ok((await push(tools, path, "feat")).ok);
  assert.deepEqual(
    tools.person.asked.map(({ action }) => action.push?.isProtected),
    [true, true],
  );
});

test("of a bare repository it is what HEAD names, remote or not", async () => {
  const { world, allow } = clone();
  git(world.bare, ["symbolic-ref", "HEAD", "refs/heads/trunk"]);
  git(world.bare, ["branch", "trunk", "main"]);
  const tools = world.open({ rules: [{ ...allow("trunk"), target: world.bare }] });
  assert.match(readFileSync(join(world.bare, "config"), "utf8"), /\[remote/, "control");
  assert.ok((await push(tools, world.bare, "trunk", "local-bare")).ok);
  assert.equal(tools.person.asked[0]?.action.push?.isProtected, true);
});

test("an origin's HEAD that names no branch says nothing", async () => {
  const { world, path, allow } = clone();
  writeFileSync(join(path, ".git/refs/remotes/origin/HEAD"), "ref: refs/remotes/origin/../../x\n");
  const tools = world.open({ rules: [allow("feat")] });
  assert.ok((await push(tools, path, "feat")).ok);
  assert.equal(tools.person.asked.length, 1, "what is checked out counts, as without it");
});

const look: ViewStyle = { width: 100, height: 40, isUnicode: true, paint: (text) => text };

test("of a new branch the question says what it is built on, and which commits come along", async () => {
  const { world, path } = clone();
  for (let index = 1; index <= 7; index += 1) commit(path, `WIP \u001b[2J${index}`, { "wip.txt": `${index}\n` });
  const tools = world.open();
  assert.ok((await push(tools, path, "reports")).ok);
  const question = tools.person.asked[0];
  const base = git(path, ["rev-parse", "feat"]).trim();
  assert.deepEqual(question?.action.push?.newOn, {
    branch: "feat",
    commit: base,
    along: {
      missingFrom: "develop",
      count: 7,
      isMore: false,
      subjects: [7, 6, 5, 4, 3].map((index) => `WIP \u001b[2J${index}`),
    },
  });
  const text = question?.text ?? "";
  assert.ok(text.includes(`built on   feat, ${base}\n`), text);
  assert.match(text, /along      7 commits that develop has not\n/);
  assert.match(text, /\| WIP .*7\n[\s\S]*… and 2 more\n/);
  assert.ok(!text.includes("\u001b"));
  assert.equal(git(path, ["rev-parse", "reports^"]).trim(), base);
  assert.ok(question?.action.push !== undefined);
  const head = pushHead(question, question.action.push, "1 file", look).join("\n");
  assert.match(head, /built on +feat, [0-9a-f]{12}/);
  assert.match(head, /7 commits that develop has not/);
});

test("nothing comes along where the new branch is built on the default one, or on what it has", async () => {
  const { world, path } = clone();
  const tools = world.open();
  assert.ok((await push(tools, path, "one")).ok);
  git(path, ["checkout", "-q", "develop"]);
  assert.ok((await push(tools, path, "two")).ok);
  git(path, ["checkout", "-q", "--detach"]);
  assert.ok((await push(tools, path, "three")).ok);
  assert.ok((await push(tools, path, "three")).ok);
  assert.deepEqual(
    tools.person.asked.map(({ action }) => action.push?.newOn && [action.push.newOn.branch, action.push.newOn.along]),
    [["feat", null], ["develop", null], [null, null], undefined],
  );
  assert.match(tools.person.asked[2]?.text ?? "", /built on {3}what is checked out, [0-9a-f]{40}\n/);
  assert.equal(headOf(path, "three^^"), headOf(path, "develop"));
});
