// A7: a rule that allows a push to a branch, where that branch is checked out: the landing writes files that a rule about writing
// denies or asks about, that others execute later, or that the grants hide. Control: an ordinary file lands unasked.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RuleText } from "../../src/policy/rule.ts";
import { commit, git, makeRepository } from "../fixtures/git.ts";
import { newWorld } from "../fixtures/git-gates.ts";

const world = newWorld();
let serial = 0;

function openOn(more: (tree: string) => readonly RuleText[] = () => []) {
  serial += 1;
  const main = makeRepository(join(world.directories.root, `main-${serial}`));
  commit(main, "first", { "kept.txt": "before\n", "hidden.key": "before\n", "asked.txt": "before\n" });
  const tree = join(world.directories.root, `tree-${serial}`);
  git(main, ["worktree", "add", "-q", "-b", "dev", tree]);
  const tools = world.open({
    session: `landing-${serial}`,
    hide: ["hidden.key"],
    rules: [{ decide: "allow", effect: "push", target: tree, branch: "dev" }, ...more(tree)],
  });
  const push = async (file: string) => {
    await tools.write(file, "pushed\n");
    const { id } = await tools.stage([file]);
    return tools.call("git_push", { commitId: id, target: { type: "local", path: tree, branch: "dev" } });
  };
  const content = (file: string) => (existsSync(join(tree, file)) ? readFileSync(join(tree, file), "utf8") : null);
  return { tools, push, content };
}

test("control: an ordinary file lands by the rule, and nobody is asked", async () => {
  const { tools, push, content } = openOn();
  assert.ok((await push("kept.txt")).ok);
  assert.deepEqual([tools.person.asked.length, content("kept.txt")], [0, "pushed\n"]);
});

test("what a rule denies to write is refused, with its reason, by whatever rule or yes", async () => {
  const { tools, push, content } = openOn((tree) => [
    { decide: "deny", effect: "write", path: `${tree}/kept.txt`, because: "this one is mine" },
  ]);
  const reply = await push("kept.txt");
  assert.equal(reply.ok ? "" : reply.error, "permission_denied");
  assert.match(JSON.stringify(reply), /kept\.txt: this one is mine/);
  assert.deepEqual([tools.person.asked.length, content("kept.txt")], [0, "before\n"]);
});

for (const [what, file, reason] of [
  ["a rule asks about", "asked.txt", /asked\.txt: better ask/],
  ["others execute later", ".vscode/tasks.json", /tasks\.json, which others execute later/],
  ["the grants hide", "hidden.key", /hidden\.key, which the grants hide/],
] as const)
  test(`what ${what} is asked about: a no lands nothing, a yes does`, async () => {
    const { tools, push, content } = openOn((tree) => [
      { decide: "ask", effect: "write", path: `${tree}/asked.txt`, because: "better ask" },
    ]);
    const before = content(file);
    tools.person.says = () => ({ decision: "deny" });
    const refused = await push(file);
    assert.equal(refused.ok ? "" : refused.error, "approval_denied", JSON.stringify(refused));
    assert.match(JSON.stringify(tools.person.asked[0]?.verdict), reason);
    assert.equal(content(file), before);
    tools.person.says = () => ({});
    const landed = await push(file);
    assert.ok(landed.ok, JSON.stringify(landed));
    assert.equal(content(file), "pushed\n");
  });
