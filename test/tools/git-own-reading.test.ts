// The git_* tools read with git in the box; that is the gate's doing, not a program that the agent starts.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { makeRepository } from "../fixtures/git.ts";
import { headOf, newWorld } from "../fixtures/git-gates.ts";

const pull = { source: { type: "local", path: "." }, paths: ["README.md"] };

test("pull and push need a grant on the repository, and none on the git program", async () => {
  const world = newWorld();
  const tools = world.open({ programs: false });
  await tools.done("git_pull", pull);
  await tools.write("README.md", "# New\n");
  const { id } = await tools.stage(["README.md"]);
  const done = await tools.done("git_push", { commitId: id, target: { type: "local", path: ".", branch: "x" } });
  assert.equal(headOf(world.repo, "x"), done["commitSha"]);
  const ran = await tools.call("Bash", { script: "/usr/bin/git --version" });
  assert.ok(!ran.ok || ran.result["exit_code"] !== 0, "the agent itself has git no more than before");
  const elsewhere = makeRepository(join(world.directories.outside, "theirs"));
  const refused = await tools.refused("git_pull", { source: { type: "local", path: elsewhere }, paths: ["."] });
  assert.equal(refused.error, "fs_denied", "control: without a grant on the repository it is refused");
});

test("who has written that git may not run means this one too; what only asks or says nothing of git does not", async () => {
  const world = newWorld();
  const withRule = (decide: "deny" | "ask", ...argv: string[]) =>
    world.open({ programs: false, rules: [{ decide, effect: "run", argv }] });
  const denied = await withRule("deny", "git", "**").refused("git_pull", pull);
  assert.equal(denied.error, "permission_denied");
  assert.match(denied.message, /git/);
  await withRule("deny", "git", "push", "**").done("git_pull", pull);
  await withRule("ask", "git", "**").done("git_pull", { ...pull, onConflict: "overwrite" });
});
