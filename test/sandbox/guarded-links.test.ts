// Links of names that others execute later: nothing lands in what they lead to, and the way there cannot be turned.

import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash } from "../fixtures/run.ts";

interface Tree {
  readonly root: string;
  readonly run: (script: string, paths?: readonly { path: string; mode: "r" | "rw" }[]) => Promise<string>;
}

function setUp(t: TestContext, files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>>): Tree {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const { root } = directories;
  const at = (name: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    return join(root, name);
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, at(name));
  return {
    root,
    async run(script, paths = [{ path: root, mode: "rw" }]) {
      const gate = openGate(directories, { paths: [{ path: "/usr", mode: "r" }, ...paths] });
      try {
        const { stdout, stderr } = await bash(gate, script, { cwd: paths[0]?.path });
        return stdout + stderr;
      } finally {
        gate.close();
      }
    },
  };
}

test("links inside of guarded directories are followed: a hook, a task, an agent's settings", async (t) => {
  const links = {
    ".git/hooks/pre-commit": "../../scripts/hook.sh",
    ".vscode/tasks.json": "../tools/tasks.json",
    ".claude/settings.json": "../tools/settings.json",
  };
  const files = {
    "scripts/hook.sh": "old\n",
    "tools/tasks.json": "old\n",
    "tools/settings.json": "old\n",
    "tools/plain": "old\n",
  };
  const { root, run } = setUp(t, files, links);
  await run(
    "for f in scripts/hook.sh tools/tasks.json tools/settings.json tools/plain; do echo new > $f; done; mv scripts s2; :",
  );
  for (const name of Object.keys(links)) assert.equal(readFileSync(join(root, name), "utf8"), "old\n", name);
  assert.equal(readFileSync(join(root, "tools/plain"), "utf8"), "new\n", "control: what nothing leads to is changed");
  bare(["/bin/sh", "-c", `echo new > ${root}/scripts/hook.sh`]);
  assert.equal(readFileSync(join(root, ".git/hooks/pre-commit"), "utf8"), "new\n", "control: without us it is changed");
});

test("the way of a guarded link cannot be turned, not to another place and not to the root", async (t) => {
  const { root, run } = setUp(
    t,
    { "tools/vs/tasks.json": "old\n", "vendor/lib.js": "theirs\n" },
    { ".vscode": "tools/vs" },
  );
  for (const target of ["../vendor", ".."]) {
    await run(`rm -rf tools t2 && mkdir tools && ln -s ${target} tools/vs; echo new > tasks.json; ls`);
    assert.equal(readFileSync(join(root, ".vscode/tasks.json"), "utf8"), "old\n");
  }
  assert.equal(readFileSync(join(root, "vendor/lib.js"), "utf8"), "theirs\n");
});

test("a link that leads nowhere yet is not turned: what would turn it does not land", async (t) => {
  const { root, run } = setUp(t, { "vendor/lib.js": "theirs\n" }, { ".vscode": "tools/vs", "sub/.envrc": "../env/rc" });
  await run("mkdir tools && ln -s ../vendor tools/vs");
  assert.equal(readFileSync(join(root, "vendor/lib.js"), "utf8"), "theirs\n");
  assert.equal(existsSync(join(root, ".vscode")), false, "it would have led to what the agent chose");
  await run("mkdir env && ln -s .. env/rc");
  assert.equal(existsSync(join(root, "env/rc")), false);
  await run("ln -s vendor tools; mkdir -p vendor/vs; echo new > vendor/vs/tasks.json");
  assert.equal(existsSync(join(root, ".vscode/tasks.json")), false, "not by a link above it either");
  await run("mkdir free && ln -s ../vendor free/vs");
  assert.equal(readFileSync(join(root, "free/vs/lib.js"), "utf8"), "theirs\n", "control: another link lands");
});

test("a .git file whose directory is swapped for a link does not make the project itself a repository", async (t) => {
  const { root, run } = setUp(t, { "sub/.git": "gitdir: ../gits/sub\n", "important.txt": "x" }, {});
  await run("mkdir gits && ln -s .. gits/sub");
  assert.equal(readFileSync(join(root, "important.txt"), "utf8"), "x");
  assert.equal(existsSync(join(root, "gits/sub")), false);
});

test("links that lie above the granted directory are followed into it", async (t) => {
  const { root, run } = setUp(
    t,
    { "tools/husky/pre-commit": "old\n", "tools/plain": "old\n" },
    { ".husky": "tools/husky" },
  );
  await run("echo new > husky/pre-commit; echo new > plain; :", [{ path: join(root, "tools"), mode: "rw" }]);
  assert.equal(readFileSync(join(root, ".husky/pre-commit"), "utf8"), "old\n");
  assert.equal(readFileSync(join(root, "tools/plain"), "utf8"), "new\n", "control");
  assert.ok(lstatSync(join(root, ".husky")).isSymbolicLink());
});
