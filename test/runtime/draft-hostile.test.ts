// Projects and layers that somebody made to hurt: no program of the project runs outside of a box, nothing blocks, and no byte from
// outside is read.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type DraftGate, makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";

/** A program that leaves a mark outside of the project, and everything that makes git start it. */
function armGit(project: Project): string {
  const marker = join(project.outside, "marker");
  const program = join(project.path, "program");
  writeFileSync(program, `#!/bin/sh\necho ran >> '${marker}'\ncat\n`);
  chmodSync(program, 0o755);
  project.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
  for (const key of [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "diff.external",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.smudge",
    "gpg.program",
    "credential.helper",
    "uploadpack.packObjectsHook",
    "alias.ls-files",
  ])
    project.git("config", key, program);
  project.git("config", "core.hooksPath", join(project.path, "hooks"));
  for (const hook of ["post-index-change", "reference-transaction", "pre-commit", "post-commit", "pre-auto-gc"]) {
    project.write(`hooks/${hook}`, `#!/bin/sh\necho ran >> '${marker}'\n`);
    chmodSync(join(project.path, "hooks", hook), 0o755);
  }
  rmSync(marker, { force: true });
  return marker;
}

test("nothing of a hostile repository runs when a draft of it begins or is looked at", async (t) => {
  const project = makeProject(t, { "a.txt": "one\n", "sub/b.txt": "two\n", ".gitmodules": '[submodule "x"]\n' });
  project.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
  project.git("commit", "--quiet", "--message=with a submodule that is not there");
  const marker = armGit(project);
  project.write("a.txt", "one\nnot committed\n");
  const gate = openDraft(t, project);
  assert.equal(await gate.bash("cat a.txt; echo mine >> sub/b.txt"), "one\nnot committed\n");
  assert.match(String((await gate.result("git_diff", {}))["diff"]), /\+mine/);
  await gate.result("git_stage", { files: ["sub/b.txt"], message: "b" });
  assert.equal(existsSync(marker), false);
  spawnSync("git", ["-C", project.path, "add", "--all"]);
  assert.equal(existsSync(marker), true, "control: git itself runs it");
});

/** What is no plain file, and names that are hard to pass on. */
async function fillWithOddities(t: TestContext, project: Project): Promise<void> {
  symlinkSync("/etc/passwd", join(project.path, "out"));
  symlinkSync(".", join(project.path, "loop"));
  symlinkSync("../..", join(project.path, "up"));
  assert.equal(spawnSync("mkfifo", [join(project.path, "pipe")]).status, 0);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(project.path, "socket"), resolve));
  t.after(() => server.close());
  for (const name of ["new\nline", "-n", "n".repeat(255), "tab\there", " "])
    writeFileSync(join(project.path, name), "x");
  writeFileSync(Buffer.concat([Buffer.from(`${project.path}/`), Buffer.from([0xff, 0xfe])]), "x");
  mkdirSync(join(project.path, Array.from({ length: 12 }, () => "d".repeat(200)).join("/")), { recursive: true });
  writeFileSync(join(project.path, "sparse.img"), "");
  truncateSync(join(project.path, "sparse.img"), 50 * 2 ** 30);
}

test("pipes, sockets, links, odd names and a file of 50 GB of holes do not keep a draft from beginning", async (t) => {
  const project = makeProject(t, { "a.txt": "one\n", ".gitignore": "*.img\n" });
  await fillWithOddities(t, project);
  const gate = openDraft(t, project);
  assert.equal(
    await gate.bash("cat a.txt; ls -d loop/loop/a.txt; stat -c %s sparse.img"),
    "one\nloop/loop/a.txt\n53687091200\n",
  );
  assert.deepEqual((await gate.result("git_status", {}))["unstaged"], []);
  for (const path of ["out", "loop", "pipe", "socket", "up"])
    assert.equal((await gate.reply("read_file", { path })).ok, false, path);
});

test("a .git that is a link, a pipe, or leads elsewhere is no way out", async (t) => {
  const ways: readonly ((project: Project) => void)[] = [
    (project) => {
      renameSync(join(project.path, ".git"), join(project.outside, "git"));
      symlinkSync(join(project.outside, "git"), join(project.path, ".git"));
    },
    (project) => {
      rmSync(join(project.path, ".git"), { recursive: true });
      assert.equal(spawnSync("mkfifo", [join(project.path, ".git")]).status, 0);
    },
    (project) => {
      rmSync(join(project.path, ".git"), { recursive: true });
      writeFileSync(join(project.path, ".git"), "gitdir: /etc\n");
    },
    (project) => project.git("config", "core.worktree", project.outside),
  ];
  for (const [at, change] of ways.entries()) {
    const project = makeProject(t, { "a.txt": "one\n" });
    writeFileSync(join(project.outside, "secret"), "SECRET\n");
    change(project);
    const gate = openDraft(t, project);
    const ran = await gate.reply("Bash", { script: "cat a.txt; ls -A; find . -name secret" });
    if (ran.ok) assert.match(String((ran.result as { stdout: string }).stdout), /^one\n/, String(at));
    assert.doesNotMatch(JSON.stringify(ran), /secret/, String(at));
  }
});

/** All tools that look at the files of a draft. */
async function lookAt(gate: DraftGate): Promise<string> {
  const replies = [];
  for (const [tool, args] of [
    ["git_status", {}],
    ["git_diff", {}],
    ["list_files", {}],
    ["search_files", { pattern: "SECRET" }],
    ["git_stage", { files: ["out", "pipe", "sparse"], message: "x" }],
    ["read_file", { path: "out" }],
    ["read_file", { path: "pipe" }],
    ["read_file", { path: "sparse" }],
    ["read_file", { path: "closed/file" }],
    ["read_file", { path: "dir/secret" }],
    ["write_file", { path: "dir/made", content: "x" }],
  ] as const)
    replies.push(JSON.stringify(await gate.reply(tool, args)));
  return replies.join("\n");
}

test("what an agent's programs left in the layer leads no tool out, and blocks none", async (t) => {
  const project = makeProject(t, { "a.txt": "one\n", "dir/b.txt": "two\n" });
  writeFileSync(join(project.outside, "secret"), "SECRET\n");
  const gate = openDraft(t, project);
  await gate.bash(`
    ln -s ${project.outside}/secret out; rm -r dir; ln -s ${project.outside} dir; mkfifo pipe
    truncate -s 100M sparse; mkdir closed; echo x > closed/file; chmod 0 closed; echo x > $'new\\nline'; echo x > $'\\xff'
  `);
  assert.doesNotMatch(await lookAt(gate), /SECRET/);
  assert.equal(existsSync(join(project.outside, "made")), false);
  for (const script of [
    "rm .git/HEAD; ln -s /etc/passwd .git/HEAD",
    "rm .git/HEAD; mkfifo .git/HEAD",
    "rm .git/HEAD; echo 'ref: refs/heads/main' > .git/HEAD; rm .git/index; mkfifo .git/index",
    `rm .git/index; mv .git/objects .git/o; ln -s ${project.outside} .git/objects`,
    "rm .git/objects; mkfifo .git/objects",
    "rm .git/objects; rm -r .git/* || true; ls -A .git",
  ]) {
    await gate.bash(script);
    assert.doesNotMatch(await lookAt(gate), /SECRET/, script);
  }
  assert.equal(
    await gate.bash("chmod 700 closed; cat closed/file; rm -r closed dir out pipe sparse; cat a.txt"),
    "x\none\n",
  );
});
