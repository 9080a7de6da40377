// How a draft begins in repositories that are unusual, and what it does not take over from them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createCapability } from "../../src/policy/capability.ts";
import { draftProblem } from "../../src/runtime/draft-problem.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { limits } from "../../src/shared/limits.ts";
import { defaultRunLimits } from "../../src/shared/run-limits.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const files = { ".gitignore": "build\n", "a.txt": "a\n", "sub/b.txt": "b\n", "build/out": "o\n" };

test("names of hidden files that git remembers in the person's index are not in the draft's", async (t) => {
  const project = makeProject(t, files);
  const stage = (name: string) => {
    const id = project.git("rev-parse", "HEAD:a.txt").trim();
    const lines = [1, 2, 3].map((stage) => `100644 ${id} ${stage}\t${name}\n`);
    execFileSync("git", ["-C", project.path, "update-index", "--index-info"], { input: lines.join("") });
  };
  project.git("update-index", "--untracked-cache");
  project.write("sub/CACHED.env", "secret");
  stage("RESOLVED.env");
  project.write("RESOLVED.env", "secret");
  project.git("add", "RESOLVED.env");
  project.git("rm", "--quiet", "--force", "RESOLVED.env");
  project.write("staged.txt", "staged\n");
  project.git("add", "staged.txt");
  project.git("-c", "core.untrackedCache=true", "status");
  const index = readFileSync(join(project.path, ".git/index"));
  for (const name of ["CACHED", "RESOLVED"]) assert.ok(index.includes(name), name);
  const gate = openDraft(t, project, { hide: ["*.env"] });
  const look =
    "grep -aoE '[A-Z]+[.]env' .git/index || git status --short; git ls-files; git show --format= --name-only";
  const listed = ".gitignore\na.txt\nstaged.txt\nsub/b.txt\n";
  assert.equal(await gate.bash(look), `${listed}staged.txt\n`);

  // An entry that git would resolve, and so remember, when it finds no file.
  stage("CONFLICT.env");
  const other = openDraft(t, project, { hide: ["*.env"] }, { session: "s2" });
  assert.equal(await other.bash(look), `${listed}staged.txt\n`);
});

test("a hidden file with the content of another one is not in the history", async (t) => {
  const project = makeProject(t, { ...files, "empty.txt": "", "zero.env": "" });
  project.git("rm", "--quiet", "--cached", "zero.env");
  project.git("commit", "--quiet", "--message=second");
  project.git("tag", "tree", "HEAD~:");
  const look = "git log --all --format=%s --name-only; git tag";
  const gate = openDraft(t, project, { hide: ["*.env"] });
  assert.equal(await gate.bash(look), "second\nfirst\n\n.gitignore\na.txt\nempty.txt\nsub/b.txt\n");
  const shown = openDraft(t, project, { hide: ["*.key"] }, { session: "s2" });
  assert.match(await shown.bash(look), /second\n\nzero\.env\nfirst\n\n/);
});

test("a pipe in the person's git directory is refused by its name", async (t) => {
  const project = makeProject(t, files);
  const pipe = join(project.path, ".git/info/exclude");
  rmSync(pipe, { force: true });
  execFileSync("mkfifo", [pipe]);
  const gate = openDraft(t, project);
  const reply = await gate.reply("Bash", { script: "true" });
  assert.match(JSON.stringify(reply), /info.exclude is a named pipe/);
  rmSync(pipe);
  assert.equal(await gate.bash("git status --short"), "");
});

test("rules of a repository that the agent may not see are not in a draft of its work tree", async (t) => {
  const project = makeProject(t, files);
  project.write(".git/info/exclude", "# PRIVATE\n");
  const path = join(project.path, "../tree");
  project.git("worktree", "add", "--quiet", path);
  const tree = { ...project, path };
  const { path: seen } = project;
  const grants = (more: object) => ({ paths: [{ path: seen, mode: "r", ...more }] });
  const look = { script: "cat .git/info/exclude" };
  const shown = await openDraft(t, tree, grants({}), { session: "s1" }).result("Bash", look);
  assert.equal(shown["stdout"], "# PRIVATE\n", JSON.stringify(shown));
  const hidden = await openDraft(t, tree, grants({ hide: ["exclude"] }), { session: "s2" }).result("Bash", look);
  assert.equal(hidden["stdout"], "", JSON.stringify(hidden));
});

test("a file that is not in the encoding of its attributes does not stop a beginning", async (t) => {
  const project = makeProject(t, {
    ...files,
    ".gitattributes": "*.rc working-tree-encoding=UTF-16LE-BOM\n* filter=none\n",
  });
  project.write("x.rc", "plain ascii odd");
  utimesSync(join(project.path, "x.rc"), 1_000, 1_000); // git reads a file again that is as new as its index, and fails
  project.write("new.txt", "new\n");
  assert.throws(() => project.git("add", "--all", "--ignore-errors"), /encode/);
  project.git("config", "filter.none.required", "true");
  const gate = openDraft(t, project);
  assert.equal(
    await gate.bash(
      "git show --format= --name-only; git cat-file -p HEAD:x.rc; cat .git/info/attributes; git status --short",
    ),
    "new.txt\nx.rc\nplain ascii odd",
  );
  assert.equal(
    await gate.bash("echo more >> new.txt; git add --all; git commit -qm more; git show --format= --name-only"),
    "new.txt\n",
  );
});

test("a project with too many names to remember shows through", async (t) => {
  const { draftNamesBytes } = limits;
  t.after(() => Object.assign(limits, { draftNamesBytes }));
  const project = makeProject(t, files);
  const look = { script: "echo mine > mine; cat a.txt; git status --short" };
  const copied = openDraft(t, project);
  assert.equal((await copied.result("Bash", look))["workspace"], undefined);
  Object.assign(limits, { draftNamesBytes: 20 });
  const live = openDraft(t, project, {}, { session: "s2" });
  assert.match(String((await live.result("Bash", look))["workspace"]), /too many files/);
  project.write("a.txt", "person\n");
  assert.equal(await copied.bash(look.script), "a\n?? mine\n");
  assert.equal(await live.bash(look.script), "person\n M a.txt\n?? mine\n");
});

test("the whole file system has no draft", () => {
  const grant = { mode: "r", hide: [] } as const;
  const fsGrants = [{ path: "/", ...grant }];
  const capability = createCapability({ toolGrants: [], fsGrants, netGrants: [], limits: defaultRunLimits });
  const problem = (path: string) => draftProblem({ kind: "draft", path, isWritten: true }, capability, probe());
  assert.match(problem("/") ?? "", /whole file system/);
  assert.equal(problem("/usr"), null);
});

test("files that the person staged long ago are in the first commit", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n", "gone.txt": "gone\n", ".gitignore": "*.log\n" });
  project.write("s.txt", "staged\n");
  project.write("forced.log", "forced\n");
  project.write("a.txt", "changed and staged\n");
  // Git believes the times of files that are older than its index.
  for (const name of ["s.txt", "forced.log", "a.txt"]) utimesSync(join(project.path, name), 1_000, 1_000);
  project.git("add", "--all");
  project.git("add", "--force", "forced.log");
  project.git("rm", "--quiet", "--cached", "gone.txt");
  const gate = openDraft(t, project);
  assert.equal(
    await gate.bash("cat s.txt a.txt forced.log; git status --short; git show --name-status --format= HEAD"),
    "staged\nchanged and staged\nforced\nM\ta.txt\nA\tforced.log\nA\ts.txt\n",
  );
});
