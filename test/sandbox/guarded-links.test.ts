// Links of names that others execute later: what they lead to is guarded, the way there cannot be turned, and the gate itself moves nothing
// away that was there before.

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
    const said = await run(`mv tools t2 && mkdir tools && ln -s ${target} tools/vs; echo new > tasks.json; ls`);
    assert.match(said, /busy/, target);
    assert.equal(readFileSync(join(root, ".vscode/tasks.json"), "utf8"), "old\n");
  }
  assert.equal(readFileSync(join(root, "vendor/lib.js"), "utf8"), "theirs\n");
});

test("a link that leads nowhere yet, and is turned, goes itself: what it leads to stays where it is", async (t) => {
  const { root, run } = setUp(t, { "vendor/lib.js": "theirs\n" }, { ".vscode": "tools/vs", "sub/.envrc": "../env/rc" });
  await run("mkdir tools && ln -s ../vendor tools/vs");
  assert.equal(readFileSync(join(root, "vendor/lib.js"), "utf8"), "theirs\n");
  assert.equal(existsSync(join(root, ".vscode")), false, "it would have led to what the agent chose");
  await run("mkdir env && ln -s .. env/rc");
  assert.ok(existsSync(join(root, "vendor/lib.js")), "the granted directory itself is where it was");
});

test("a .git file whose directory is swapped for a link does not have the gate move the project away", async (t) => {
  const { root, run } = setUp(t, { "sub/.git": "gitdir: ../gits/sub\n", "important.txt": "x" }, {});
  await run("mkdir gits && ln -s .. gits/sub");
  assert.equal(readFileSync(join(root, "important.txt"), "utf8"), "x");
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
