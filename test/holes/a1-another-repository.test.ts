// A1: a directory that passes itself off as part of another repository, by `commondir` or by `.git`: what is pushed to the one
// name must not land in the other. Control: plain git follows both, and moves the branch of the other.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commit, git, makeRepository } from "../fixtures/git.ts";
import { headOf, newWorld } from "../fixtures/git-gates.ts";

const world = newWorld();
let serial = 0;

interface Forged {
  readonly name: string;
  readonly type: "local" | "local-bare";
  /** In a new directory `at`; `other` is the git directory of the person's repository. */
  readonly make: (at: string, other: string) => void;
}

function makeLayout(at: string, common: string): void {
  for (const name of ["objects", "refs"]) mkdirSync(join(at, name), { recursive: true });
  writeFileSync(join(at, "HEAD"), "ref: refs/heads/notes\n");
  writeFileSync(join(at, "commondir"), `${common}\n`);
}

const forged: readonly Forged[] = [
  { name: "commondir of a bare repository", type: "local-bare", make: makeLayout },
  { name: "commondir in .git", type: "local", make: (at, other) => makeLayout(join(at, ".git"), other) },
  {
    name: "commondir in a directory that .git names",
    type: "local",
    make(at, other) {
      makeLayout(join(at, "worktrees/x"), other);
      writeFileSync(join(at, "worktrees/x/gitdir"), `${at}/.git\n`);
      writeFileSync(join(at, ".git"), `gitdir: ${at}/worktrees/x\n`);
    },
  },
  { name: ".git as a file", type: "local", make: (at, other) => writeFileSync(join(at, ".git"), `gitdir: ${other}\n`) },
  { name: ".git as a link", type: "local", make: (at, other) => symlinkSync(other, join(at, ".git")) },
];

for (const { name, type, make } of forged)
  describe(name, () => {
    const build = () => {
      serial += 1;
      const other = makeRepository(join(world.directories.root, `person-${serial}`));
      git(other, ["branch", "notes"]);
      const at = join(world.directories.root, `agent-${serial}`);
      mkdirSync(at);
      make(at, join(other, ".git"));
      return { other, at };
    };

    it("neither a rule nor a yes lands anything in the other repository", async () => {
      const { other, at } = build();
      const before = git(other, ["for-each-ref"]);
      const tools = world.open({
        session: `forged-${serial}`,
        rules: [{ decide: "allow", effect: "push", target: at, branch: "notes" }],
      });
      await tools.write("note.md", "planted\n");
      const { id } = await tools.stage(["note.md"]);
      for (const branch of ["notes", "new"]) {
        const refused = await tools.refused("git_push", { commitId: id, target: { type, path: at, branch } });
        assert.equal(refused.error, "invalid_args", refused.message);
        assert.ok(refused.message.includes(join(other, ".git")), refused.message);
      }
      assert.equal(tools.person.asked.length, 0);
      assert.equal(git(other, ["for-each-ref"]), before);
    });

    it("control: plain git moves the branch of the other", () => {
      const { other, at } = build();
      const before = headOf(other, "notes");
      commit(other, "next", { "next.txt": "x\n" });
      git(at, ["update-ref", "refs/heads/notes", headOf(other, "main")]);
      assert.notEqual(headOf(other, "notes"), before);
    });
  });

it("work trees that their repository knows are as good as it: linked ones, submodules, separate git directories", async () => {
  const root = join(world.directories.root, "known");
  const main = makeRepository(join(root, "main"));
  git(main, ["worktree", "add", "-q", "-b", "linked", join(root, "linked")]);
  git(main, ["-c", "protocol.file.allow=always", "submodule", "add", "-q", world.repo, "sub"]);
  mkdirSync(join(root, "apart"));
  git(root, ["clone", "-q", "--separate-git-dir", join(root, "store"), world.repo, join(root, "apart")]);
  git(join(root, "apart"), ["config", "core.worktree", join(root, "apart")]);
  const tools = world.open({ session: "known" });
  for (const path of [join(root, "linked"), join(main, "sub"), join(root, "apart")]) {
    await tools.write("note.md", `${path}\n`);
    const { id } = await tools.stage(["note.md"]);
    const pushed = await tools.done("git_push", { commitId: id, target: { type: "local", path, branch: "notes" } });
    assert.equal(headOf(path, "notes"), pushed["commitSha"]);
  }
});

it("a store that does not say whose it is: named by a .git that no agent can write, else by itself", async () => {
  const root = join(world.directories.root, "untold");
  mkdirSync(join(root, "apart"), { recursive: true });
  git(root, ["clone", "-q", "--separate-git-dir", join(root, "store"), world.repo, join(root, "apart")]);
  const target = (path: string) => ({ type: "local", path, branch: "notes" });
  const push = async (mode: "r" | "rw", text: string) => {
    const tools = world.open({ session: `untold-${mode}`, mode, granted: [root] });
    await tools.write("note.md", text);
    const { id } = await tools.stage(["note.md"]);
    return tools.call("git_push", { commitId: id, target: target(join(root, "apart")) });
  };
  const refused = await push("rw", "1\n");
  assert.ok(!refused.ok);
  assert.ok(refused.message.includes(join(root, "store")), refused.message);
  const pushed = await push("r", "2\n");
  assert.ok(pushed.ok, JSON.stringify(pushed));
});
