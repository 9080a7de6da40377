// A draft: the project at its own path, as it was, in every tool; and the project itself stays as it is.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import { until } from "../fixtures/run.ts";

const files = {
  ".gitignore": "node_modules\n.env\n*.log\n",
  "src/a.txt": "one\n",
  "src/deep/b.txt": "two\n",
  "README.md": "# Project\n",
  "node_modules/dep/index.js": "module.exports = 1;\n",
  "node_modules/dep/.env": "SECRET=dep\n",
  ".env": "SECRET=root\n",
};

/** The project with work that is not committed. */
function workedOn(t: Parameters<typeof makeProject>[0]) {
  const project = makeProject(t, files);
  project.write("src/a.txt", "one\nnot committed\n");
  project.write("new.txt", "not tracked\n");
  return project;
}

test("every tool sees the project at its own path and at /workspace, uncommitted work included", async (t) => {
  const project = workedOn(t);
  const before = project.digest();
  const gate = openDraft(t, project, { hide: [".env"] });
  const { path } = project;
  assert.equal(
    await gate.bash("pwd; cat src/a.txt new.txt node_modules/dep/index.js"),
    `${path}\none\nnot committed\nnot tracked\nmodule.exports = 1;\n`,
  );
  assert.equal(await gate.bash("cat src/a.txt", { cwd: "/workspace" }), "one\nnot committed\n");
  const python = await gate.result("Python", { code: "import os; print(os.getcwd(), sorted(os.listdir('.')))" });
  assert.equal(python["stdout"], `${path} ['.git', '.gitignore', 'README.md', 'new.txt', 'node_modules', 'src']\n`);
  assert.equal((await gate.result("Exec", { argv: ["/usr/bin/cat", "new.txt"] }))["stdout"], "not tracked\n");
  const shell = await gate.result("Shell", { command: "cat src/deep/b.txt" });
  assert.equal((shell["results"] as { stdout: string }[])[0]?.stdout, "two\n");
  for (const name of ["src/a.txt", `${path}/src/a.txt`, "/workspace/src/a.txt"])
    assert.equal((await gate.result("read_file", { path: name }))["content"], "one\nnot committed\n", name);

  await gate.bash(
    "printf '#!/bin/sh\\necho ran\\n' > run.sh; chmod +x run.sh; rm README.md; git checkout -q README.md",
  );
  assert.equal((await gate.result("Exec", { argv: [`${path}/run.sh`] }))["stdout"], "ran\n");
  const matched = await gate.result("Shell", { command: "ls *.sh *.md" });
  assert.equal((matched["results"] as { stdout: string }[])[0]?.stdout, "README.md\nrun.sh\n");
  await gate.bash("rm run.sh");

  await gate.result("write_file", { path: `${path}/made/c.txt`, content: "made\n" });
  assert.equal(await gate.bash("pwd; cat c.txt", { cwd: `${path}/made` }), `${path}/made\nmade\n`);
  assert.equal((await gate.result("Exec", { argv: ["/usr/bin/ls"], cwd: `${path}/made` }))["stdout"], "c.txt\n");
  await gate.bash("echo x > node_modules/dep/added; rm README.md; echo log > run.log; echo kept > $HOME/kept");
  assert.equal(await gate.bash("cat node_modules/dep/added $HOME/kept; test ! -e README.md"), "x\nkept\n");
  const { files: listed } = await gate.result("list_files", {});
  assert.deepEqual(
    (listed as { path: string }[]).map((file) => file.path),
    [
      "/workspace/.gitignore",
      "/workspace/made/c.txt",
      "/workspace/new.txt",
      "/workspace/run.log",
      "/workspace/src/a.txt",
      "/workspace/src/deep/b.txt",
    ],
  );
  assert.equal(project.digest(), before);
});

test("a result lists the files that the run changed, and only these", async (t) => {
  const project = makeProject(t, { ...files, "old.txt": "old\n", "dir/x.txt": "x\n" });
  const gate = openDraft(t, project);
  await gate.result("write_file", { path: "by-tool.txt", content: "t\n" });
  const script =
    "echo more >> src/a.txt; echo made > made.txt; rm old.txt; mv dir dir2; echo t > gone; rm gone; echo log > a.log";
  const { artifacts, ignored, not_kept: notKept } = await gate.result("Bash", { script });
  assert.deepEqual([ignored, notKept], [1, undefined]);
  assert.deepEqual(
    (artifacts as { path: string; operation: string; size: number }[]).map(({ path, operation, size }) => [
      path,
      operation,
      size,
    ]),
    [
      ["/workspace/dir", "delete", 0],
      ["/workspace/dir2/x.txt", "create", 2],
      ["/workspace/made.txt", "create", 5],
      ["/workspace/old.txt", "delete", 0],
      ["/workspace/src/a.txt", "update", 9],
    ],
  );
  assert.deepEqual((await gate.result("Bash", { script: "cat src/a.txt" }))["artifacts"], []);
  const met = await gate.result("Bash", {
    script: "echo 1 >> made.txt",
    expect: { git_diff: [`${project.path}/made.txt`], files: ["made.txt"] },
  });
  assert.deepEqual(
    (met["requirements"] as { ok: boolean }[]).filter((one) => !one.ok),
    [],
  );
});

test("git works inside: commit, stash, branch, rebase, worktree, gc, and a directory is renamed", async (t) => {
  const project = workedOn(t);
  const before = project.digest();
  const gate = openDraft(t, project);
  assert.equal(await gate.bash("git status --short"), "");
  const log = await gate.bash("git log --format=%s");
  assert.equal(log, "The project as it was when this session began\nfirst\n");
  assert.equal(
    await gate.bash("git mv src source && git status --short"),
    "R  src/a.txt -> source/a.txt\nR  src/deep/b.txt -> source/deep/b.txt\n",
  );
  await gate.bash(`
    git commit -qm renamed
    git switch -qc other HEAD^ && echo other > other.txt && git add -A && git commit -qm other
    git rebase -q main && test -f source/a.txt && test -f other.txt
    echo stash >> other.txt && git stash -q && git stash pop -q && git checkout -q other.txt
    git worktree add -q ../tree main && test -f ../tree/source/a.txt && git worktree remove ../tree
    git gc -q --prune=now && git fsck --strict
  `);
  assert.equal(
    await gate.bash("git log --format=%s"),
    "other\nrenamed\nThe project as it was when this session began\nfirst\n",
  );
  const git = await gate.result("Git", { op: "log", repo: project.path, args: ["--format=%s", "-n", "1"] });
  assert.equal(git["stdout"], "other\n");
  const unnamed = await gate.result("Git", { op: "log", args: ["--format=%s", "-n", "1"] });
  assert.deepEqual(
    [unnamed["stdout"], (unnamed["cmd"] as string[])[2]],
    ["other\n", project.path],
    "the project, if no other is named",
  );
  const status = await gate.result("git_status", {});
  assert.deepEqual(
    (status["commits"] as { message: string }[]).map(({ message }) => message),
    ["renamed", "other"],
  );
  assert.equal(project.digest(), before);
});

test("nothing hidden gets in, also if it is made later", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env", "*.pem"] });
  const look = "ls -A . node_modules/dep; cat .env node_modules/dep/.env later/x.pem 2>&1 || true";
  const seen = await gate.bash(look);
  assert.doesNotMatch(seen, /SECRET|^\.env$/m);
  await gate.bash("mkdir -p later");
  project.write("later/x.pem", "SECRET=later\n");
  project.write("node_modules/other/.env", "SECRET=other\n");
  assert.doesNotMatch(await gate.bash(`${look}; find . -name .env -o -name '*.pem'`), /SECRET|\.env$|pem$/m);
  assert.equal((await gate.reply("read_file", { path: ".env" })).ok, false);
  const control = openDraft(t, project, {}, { session: "s2" });
  assert.match(await control.bash(look), /SECRET=root/, "control: without hide it is there");
});

test("a hide that a person wrote hides tracked files too, and their objects", async (t) => {
  const project = makeProject(t, { ...files, "secrets/key.txt": "SECRET=tracked\n", ".gitignore": "" });
  const blob = project.git("rev-parse", "HEAD:secrets/key.txt").trim();
  const gate = openDraft(t, project, { hide: ["secrets/**"] });
  const look = `git log --format=%s; git cat-file -p ${blob} 2>&1 || true; git ls-files; ls`;
  const seen = await gate.bash(look);
  assert.doesNotMatch(seen, /SECRET|key/);
  assert.match(seen, /^first$/m, "the history is there, without the file");
  const control = openDraft(t, project, {}, { session: "s2" });
  assert.match(await control.bash(look), /SECRET=tracked/);
  const builtIn = openDraft(t, project, { hide: ["*.txt"], tracked: "shown" }, { session: "s3" });
  assert.match(await builtIn.bash(look), /SECRET=tracked/, "globs for untracked files leave alone what git tracks");
});

test("globs for untracked files leave alone what is in the person's commit, and hide what is only staged", async (t) => {
  const project = makeProject(t, { ...files, ".env.example": "EXAMPLE=1\n", ".env.two": "TWO\n" });
  project.git("add", "--force", ".env"); // "SECRET=root" is in the index, and in no commit
  project.git("add", "--force", "--intent-to-add", "node_modules/dep/.env");
  project.write("sub/.env.local", "SECRET=sub\n");
  project.git("add", "--all", "sub");
  project.git("mv", ".env.two", ".env.renamed");
  const grants = { hide: [".env", ".env.*"], tracked: "shown" } as const;
  const gate = openDraft(t, project, grants);
  const look =
    "cat .env .env.* sub/.env.local node_modules/dep/.env 2> /dev/null || true; git log -p --all; git ls-files";
  const seen = await gate.bash(look);
  assert.doesNotMatch(seen, /SECRET|TWO|renamed|^\.env$/m);
  assert.match(seen, /^EXAMPLE=1$/m, "what is committed is there");
  assert.match(seen, /^\.env\.example$/m);
  await gate.bash("echo mine > mine.txt");
  project.write("lib/.env", "SECRET=later\n");
  project.git("add", "--force", "lib/.env"); // staged after the draft began
  assert.doesNotMatch(await gate.bash(`${look}; cat lib/.env 2> /dev/null || true`), /SECRET/);
  project.git("commit", "--quiet", "--message=with secrets");
  const next = openDraft(t, project, grants, { session: "s2" });
  assert.match(await next.bash(look), /SECRET=root/, "control: what the person commits is there");
  const submodule = makeProject(t, { ".env.example": "EXAMPLE=sub\n" });
  const outer = makeProject(t, files);
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", submodule.path, "module");
  outer.git("commit", "--quiet", "--message=with a submodule");
  assert.equal(await openDraft(t, outer, grants).bash("cat module/.env.example"), "EXAMPLE=sub\n");
});

test("configuration and hooks written inside are in force nowhere else, and a draft leaves nothing in the repository", async (t) => {
  const project = makeProject(t, files);
  const before = project.digest();
  const gate = openDraft(t, project);
  const marker = join(project.outside, "marker");
  await gate.bash(`
    git config core.fsmonitor "touch ${marker}; false"
    git config core.pager "touch ${marker}"
    printf '#!/bin/sh\\ntouch ${marker}\\n' > .git/hooks/pre-commit 2>/dev/null || { mkdir .git/hooks; printf '#!/bin/sh\\ntouch ${marker}\\n' > .git/hooks/pre-commit; }
    chmod +x .git/hooks/pre-commit
    echo '*.txt filter=evil diff=evil' > .gitattributes
    git config filter.evil.clean "touch ${marker}; cat"
    git config diff.evil.textconv "touch ${marker}; cat"
    echo changed >> src/a.txt
  `);
  await gate.result("git_status", {});
  await gate.result("git_diff", {});
  await gate.result("Git", { op: "diff", repo: project.path });
  assert.equal(existsSync(marker), false);
  assert.equal(project.digest(), before);
  project.git("status"); // it may write the person's index anew, so the digest comes first
  assert.equal(existsSync(marker), false);
  assert.equal(project.git("for-each-ref").trim().split("\n").length, 1);
});

test("a link in place of the session's configuration leads git nowhere outside", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  const made = join(project.outside, "made");
  await gate.bash(
    `mv .git/config .git/kept; ln -s /oldroot${made} .git/config; ln -s ${made} .git/other; echo x >> README.md`,
  );
  for (const [tool, args] of [
    ["git_status", {}],
    ["git_diff", {}],
    ["Git", { op: "status", repo: project.path }],
    ["Shell", { command: "git status" }],
  ] as const)
    await gate.reply(tool, args);
  assert.equal(existsSync(made), false);
  await gate.bash("rm .git/config; mv .git/kept .git/config; git status");
});

test("a person who rewrites history and collects garbage does not break a draft", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("git log -p > /dev/null; echo mine > mine.txt");
  project.git("commit", "--quiet", "--amend", "--message=rewritten");
  project.git("reflog", "expire", "--expire=now", "--all");
  project.git("gc", "--quiet", "--prune=now");
  assert.equal(
    await gate.bash(
      "git log --format=%s; git fsck --strict; git commit -q --allow-empty -m x; git show --stat HEAD^ > /dev/null",
    ),
    "first\n",
  );
});

test("a push lands on a branch of the session in the project, after one question, with the changes alone", async (t) => {
  const project = workedOn(t);
  const approver = scripted();
  const gate = openDraft(t, project, {}, { approvers: [approver] });
  await gate.bash("echo agent >> README.md; echo made > made.txt; git add -A; git commit -qm work");
  const head = project.git("rev-parse", "HEAD");
  const diff = await gate.result("git_diff", { paths: [join(project.path, "made.txt")] });
  assert.match(String(diff["diff"]), /\+made/);
  const files = ["README.md", join(project.path, "made.txt")];
  const staged = await gate.result("git_stage", { files, message: "Work" });
  const pushed = await gate.result("git_push", { commitId: staged["id"] });
  assert.equal(pushed["branch"], "sallyport/s1");
  assert.equal(approver.asked.length, 1);
  assert.equal(project.git("rev-parse", "HEAD"), head);
  assert.equal(project.git("diff", "--name-only", "main", "sallyport/s1"), "README.md\nmade.txt\n");
  assert.equal(project.read("src/a.txt"), "one\nnot committed\n");
  assert.equal(existsSync(join(project.path, "made.txt")), false);
  assert.deepEqual((await gate.result("git_status", {}))["unstaged"], []);
});

test("two gates share a session, and a killed holder loses nothing", async (t) => {
  const project = makeProject(t, files);
  const [one, two] = [openDraft(t, project), openDraft(t, project)];
  await Promise.all([one.bash("echo 1 > one.txt"), two.bash("echo 2 > two.txt")]);
  assert.equal(await one.bash("cat two.txt"), "2\n");
  assert.equal(await two.bash("cat one.txt"), "1\n");
  const [name = ""] = readdirSync(join(project.state, "drafts"));
  const holder = Number(readFileSync(join(project.state, "drafts", name, "holder"), "utf8"));
  process.kill(holder, "SIGKILL");
  await until("the holder has ended", () => !existsSync(`/proc/${holder}/ns/mnt`));
  assert.equal(await one.bash("cat one.txt two.txt; echo 3 > three.txt"), "1\n2\n");
  assert.equal((await two.result("read_file", { path: "three.txt" }))["content"], "3\n");
});

test("a draft without changes begins anew when the project has moved on; another says what it is behind", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("cat README.md");
  project.write("README.md", "# Changed\n");
  project.git("commit", "--quiet", "--all", "--message=second");
  assert.equal(await gate.bash("cat README.md; git log --format=%s"), "# Changed\nsecond\nfirst\n");
  await gate.bash("echo x > mine.txt");
  project.write("README.md", "# Again\n");
  project.git("commit", "--quiet", "--all", "--message=third");
  const behind = await gate.result("Bash", { script: "cat README.md" });
  assert.equal(behind["stdout"], "# Changed\n");
  assert.equal(
    behind["behind"],
    "The project has 1 new commit since this draft began; git_status lists the files, and git_pull {} brings them.",
  );
});

test("a project that is no repository, has no commit, or is on no branch", async (t) => {
  const plain = makeProject(t, { "a.txt": "a\n", ".gitignore": "build\n", "build/out": "out\n" }, false);
  const first = openDraft(t, plain);
  assert.equal(
    await first.bash("cat a.txt build/out; git log --format=%s; git status --short"),
    "a\nout\nThe project as it was when this session began\n",
  );
  await first.bash("echo mine > mine.txt");
  plain.write("later.txt", "later\n");
  assert.equal(await first.bash("ls"), "a.txt\nbuild\nmine.txt\n");

  const unborn = makeProject(t, { "a.txt": "a\n" }, false);
  unborn.git("init", "--quiet", "--initial-branch=trunk");
  assert.equal(
    await openDraft(t, unborn).bash("cat a.txt; git log --format=%s"),
    "a\nThe project as it was when this session began\n",
  );

  const detached = makeProject(t, files);
  detached.git("checkout", "--quiet", "--detach");
  const gate = openDraft(t, detached);
  assert.equal(
    await gate.bash("git commit -q --allow-empty -m x; git log --format=%s; git branch --show-current"),
    "x\nfirst\n",
  );
});

test("an edit that leaves size and time as they were is in the first commit", async (t) => {
  const project = makeProject(t, files, false);
  const time = Math.floor(Date.now() / 1000);
  const edit = (text: string) => {
    project.write("src/a.txt", text);
    utimesSync(join(project.path, "src/a.txt"), time, time);
  };
  edit("one\n");
  project.git("init", "--quiet");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=first");
  edit("two\n");
  utimesSync(join(project.path, ".git/index"), time, time);
  const gate = openDraft(t, project);
  assert.equal(
    await gate.bash("git show HEAD:src/a.txt; git status --short; git log --format=%s HEAD^"),
    "two\nfirst\n",
  );
});

test("a linked work tree, a submodule, and a repository inside", async (t) => {
  const project = makeProject(t, files);
  const tree = join(project.outside, "tree");
  project.git("worktree", "add", "--quiet", "-b", "linked", tree);
  const linked = { ...project, path: tree };
  const gate = openDraft(t, linked, { paths: [{ path: join(project.path, ".git"), mode: "r" }] });
  assert.equal(
    await gate.bash("git branch --show-current; echo x >> README.md; git commit -qam x; git log --format=%s"),
    "linked\nx\nfirst\n",
  );
  assert.equal(project.git("log", "--format=%s", "linked"), "first\n");

  const refused = await openDraft(t, linked, {}, { session: "s2" }).reply("Bash", { script: "true" });
  const grant = `{ path: "${join(project.path, ".git")}", mode: r }`;
  assert.ok(
    JSON.stringify(refused).includes(JSON.stringify(grant).slice(1, -1)),
    "without it no call begins, and the grant is named",
  );

  const outer = makeProject(t, files);
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", project.path, "sub");
  outer.git("commit", "--quiet", "--message=with a submodule");
  outer.write("inner/i.txt", "i\n");
  outer.git("-C", "inner", "init", "--quiet");
  const second = openDraft(t, outer);
  assert.equal(await second.bash("cat sub/README.md inner/i.txt; git status --short"), "# Project\ni\n");
});

test("hostile names, pipes and links of a project", async (t) => {
  const project = makeProject(
    t,
    { "a.txt": "a\n", "with space/'quote\".txt": "q\n", "-dash.txt": "d\n", "ü/ö.txt": "u\n", "new\nline.txt": "n\n" },
    false,
  );
  symlinkSync("/etc/passwd", join(project.path, "out"));
  symlinkSync("a.txt", join(project.path, "in"));
  project.git("init", "--quiet");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=first");
  const { spawnSync } = await import("node:child_process");
  assert.equal(spawnSync("mkfifo", [join(project.path, "pipe")]).status, 0);
  const gate = openDraft(t, project);
  assert.equal(
    await gate.bash("cat in 'with space/'*.txt ./-dash.txt ü/ö.txt new*line.txt; readlink out; git status --short"),
    "a\nq\nd\nu\nn\n/etc/passwd\n",
  );
  assert.equal((await gate.reply("read_file", { path: "out" })).ok, false);
});

test("where a draft cannot be had, calls are refused and say why", async (t) => {
  const project = makeProject(t, files);
  const blind = openDraft(t, project, {}, { narrower: { fsGrants: [{ path: "/usr", mode: "r", hide: [] }] } });
  const reply = await blind.reply("Bash", { script: "true" });
  assert.equal(
    reply.ok ? "" : `${reply.error}: ${reply.message}`,
    `sandbox_unavailable: There is no draft of ${project.path}: this agent may not see the project.`,
  );
  const above = openDraft(t, project, { paths: [{ path: dirname(project.path), mode: "rw" }] }, { session: "s2" });
  assert.match(
    JSON.stringify(await above.reply("Bash", { script: "true" })),
    /sandbox_unavailable.*in which the project lies/,
  );
  const control = openDraft(t, project, {}, { session: "s3" });
  assert.equal(await control.bash("cat README.md"), "# Project\n");
});

test("a hostile HEAD names no file outside", async (t) => {
  const project = makeProject(t, files);
  const victim = join(project.outside, "keys");
  writeFileSync(victim, "mine\n");
  const commit = project.git("rev-parse", "HEAD").trim();
  const up = "../".repeat(project.state.split("/").length + 8);
  writeFileSync(join(project.path, ".git/HEAD"), `${commit}\nref: refs/heads/${up}${victim.slice(1)}\n`);
  project.write("README.md", "# Not committed\n");
  await openDraft(t, project).reply("Bash", { script: "true" });
  assert.equal(readFileSync(victim, "utf8"), "mine\n");
});

test("what a person put aside, removed or undid is not among the objects, if it is hidden", async (t) => {
  const project = makeProject(t, { ...files, ".gitignore": "" });
  project.git("rm", "--quiet", "--cached", ".env");
  project.git("commit", "--quiet", "--message=no longer tracked");
  project.write("x.pem", "SECRET=stashed\n");
  project.git("stash", "--quiet", "--include-untracked");
  const look = "git log --format=%s --all; git cat-file --batch-all-objects --batch | grep -a SECRET || true";
  const gate = openDraft(t, project, { hide: [".env", "*.pem"] });
  assert.equal(await gate.bash(look), "no longer tracked\nfirst\n");
  const control = openDraft(t, project, { hide: ["*.pem"] }, { session: "s2" });
  const seen = await control.bash(look);
  assert.match(seen, /SECRET=root/, "control: what is not hidden is there");
  assert.doesNotMatch(seen, /stashed/, "what is put aside is not taken over");
});

test("a grant above the project that hides files mounts nothing inside the draft", async (t) => {
  const project = makeProject(t, { ...files, "sub/.env": "SECRET=sub\n" });
  const gate = openDraft(t, project, {
    hide: [".env"],
    paths: [{ path: dirname(project.path), mode: "r", hide: [".env"] }],
  });
  const made = join(project.outside, "made");
  await gate.bash(`mv sub old; mkdir sub; ln -s /oldroot${made} sub/.env; ln -s ${made} sub/other`);
  assert.equal(await gate.bash("readlink sub/.env"), `/oldroot${made}\n`);
  assert.equal(existsSync(made), false);
});
