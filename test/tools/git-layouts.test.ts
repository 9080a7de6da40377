// Repositories where people put them: work trees, links, pointers, owners, names. Whatever the layout, git's own answer, or a
// refusal that says what to do; and after every call no byte, time or mode under the repository has changed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import test, { after } from "node:test";
import { everything, openLayouts, unchanged } from "../fixtures/git-layout.ts";
import {
  commit,
  git,
  makeRepository,
  openGitGate,
  plainGit,
  ranGit,
  readGit,
  refusedGit,
  writeFiles,
  type GitCall,
} from "../fixtures/git.ts";
import { isRoot } from "../fixtures/run.ts";

const layouts = openLayouts();
const { directories, gate, room, likePlainGit } = layouts;
after(() => layouts.close());

test("an ordinary repository: status does not rewrite the index, though plain git would", async () => {
  const repo = makeRepository(join(room(), "repo"));
  let times = 0;
  const stale = () => {
    const later = new Date(Date.now() + (times += 1) * 5_000);
    utimesSync(join(repo, "a.txt"), later, later);
  };
  stale();
  await likePlainGit(repo);
  stale();
  const before = readFileSync(join(repo, ".git/index"));
  await readGit(gate, repo, { op: "status" });
  await readGit(gate, repo, { op: "diff" });
  assert.deepEqual(readFileSync(join(repo, ".git/index")), before);
  plainGit(repo, ["status"], { env: { GIT_OPTIONAL_LOCKS: "1" } });
  assert.notDeepEqual(readFileSync(join(repo, ".git/index")), before, "the control: plain git refreshes the index");
});

test("a linked work tree", async () => {
  const main = makeRepository(join(room(), "main"));
  const linked = join(main, "../linked tree");
  git(main, ["worktree", "add", "-q", "-b", "side", linked]);
  commit(linked, "on the side", { "b.txt": "b\n" });
  writeFiles(linked, { "a.txt": "changed\n" });
  await likePlainGit(linked);
  await likePlainGit(main);
});

test("a linked work tree of which only the work tree is granted: fs_denied, naming the main repository's git directory", async () => {
  const main = makeRepository(join(directories.outside, "main"));
  const linked = join(room(), "linked");
  git(main, ["worktree", "add", "-q", linked]);
  const reply = await unchanged(linked, () => refusedGit(gate, linked, { op: "status" }));
  assert.equal(reply.error, "fs_denied");
  assert.ok(reply.message.includes(`${main}/.git:`), reply.message);
  assert.ok(reply.hint?.includes(`{ path: "${main}/.git", mode: r }`), reply.hint);
  const wider = openGitGate(directories, [
    { path: directories.root, mode: "rw" },
    { path: `${main}/.git`, mode: "r" },
  ]);
  await likePlainGit(linked, everything, wider);
  wider.close();
});

test("submodules, clean and dirty: what is asked about is the repository itself", async () => {
  const base = room();
  const child = makeRepository(join(base, "child"));
  const repo = makeRepository(join(base, "parent"));
  git(repo, ["-c", "protocol.file.allow=always", "submodule", "add", "-q", child, "sub"]);
  commit(repo, "with submodule");
  await likePlainGit(repo);
  commit(join(repo, "sub"), "ahead", { "x.txt": "x\n" });
  assert.equal(await unchanged(base, () => readGit(gate, repo, { op: "status" })), " M sub\n");
  assert.match(
    await readGit(gate, repo, { op: "diff", args: ["--submodule=log"] }),
    /Submodule sub [0-9a-f]+\.\.[0-9a-f]+:\n {2}> ahead/,
  );
  git(repo, ["submodule", "update", "-q", "--force"]);
  writeFiles(repo, { "sub/a.txt": "dirty\n" });
  // Only git inside the submodule, under the submodule's configuration, could see this.
  assert.equal(await unchanged(base, () => readGit(gate, repo, { op: "status" })), "");
  await likePlainGit(join(repo, "sub"));
});

test("a bare repository, and a git directory named by itself", async () => {
  const base = room();
  const repo = makeRepository(join(base, "repo"));
  git(base, ["clone", "-q", "--bare", repo, "bare.git"]);
  const history: GitCall[] = [
    { op: "log", args: ["-p"] },
    { op: "show", ref: "HEAD:a.txt" },
    { op: "branch" },
    { op: "rev_parse" },
    { op: "rev_parse", args: ["--is-bare-repository"] },
    { op: "blame", ref: "HEAD", path: "a.txt" },
  ];
  await likePlainGit(join(base, "bare.git"), history);
  for (const directory of [join(base, "bare.git"), join(repo, ".git")]) {
    const result = await unchanged(base, () => ranGit(gate, directory, { op: "status" }));
    assert.equal(result.exit_code, 128);
    assert.match(result.stderr, /must be run in a work tree/);
    assert.match(await readGit(gate, directory, { op: "log" }), /first/);
  }
});

for (const kind of ["absolute", "relative"] as const) {
  test(`.git as a file with an ${kind} path`, async () => {
    const base = room();
    const repo = join(base, "repo");
    mkdirSync(repo);
    git(repo, ["init", "-q", "-b", "main", "--separate-git-dir", join(base, "store.git")]);
    commit(repo, "first", { "a.txt": "a\n" });
    if (kind === "relative") writeFileSync(join(repo, ".git"), `gitdir: ${relative(repo, join(base, "store.git"))}\n`);
    await likePlainGit(repo);
  });
}

test(".git as a symbolic link, and a repository named through links", async () => {
  const base = room();
  const repo = makeRepository(join(base, "repo"));
  renameSync(join(repo, ".git"), join(base, "elsewhere"));
  symlinkSync("../elsewhere", join(repo, ".git"));
  await likePlainGit(repo);
  symlinkSync("repo", join(base, "name"));
  assert.match(await unchanged(base, () => readGit(gate, join(base, "name"), { op: "log" })), /first/);
  symlinkSync(repo, join(directories.outside, "way in"));
  assert.match(await readGit(gate, join(directories.outside, "way in"), { op: "log" }), /first/);
});

test(
  "a repository of another user: the grant is the boundary",
  { skip: isRoot ? false : "giving files away needs root" },
  async () => {
    const repo = makeRepository(join(room(), "repo"));
    spawnSync("chown", ["-R", "12345:12345", repo]);
    assert.match(
      plainGit(repo, ["status"], { env: { SUDO_UID: "0" } }).stderr,
      /dubious ownership/,
      "the control: plain git refuses",
    );
    const trusting = { env: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" } };
    for (const call of everything) {
      const ours = await unchanged(repo, () => ranGit(gate, repo, call));
      assert.equal(ours.stdout, plainGit("/", ours.cmd.slice(1), trusting).stdout, JSON.stringify(call));
      assert.equal(ours.exit_code, 0, ours.stderr);
    }
    // Mixed: the work tree of one, the repository of another.
    chownSync(join(repo, "a.txt"), 0, 0);
    assert.equal(await readGit(gate, repo, { op: "status" }), "");
  },
);

test("no commit yet; and a HEAD that is no branch", async () => {
  const unborn = makeRepository(join(room(), "unborn"), { isUnborn: true });
  writeFiles(unborn, { "a.txt": "a\n" });
  await likePlainGit(unborn, [
    { op: "status" },
    { op: "diff" },
    { op: "branch" },
    { op: "ls_files" },
    { op: "log" },
    { op: "rev_parse" },
    { op: "branch", args: ["--show-current"] },
  ]);
  const detached = makeRepository(join(room(), "detached"));
  commit(detached, "two");
  git(detached, ["checkout", "-q", "--detach", "HEAD~1"]);
  await likePlainGit(detached, [
    ...everything,
    { op: "rev_parse", args: ["--abbrev-ref"], ref: "HEAD" },
    { op: "status", args: ["-sb"] },
  ]);
});

test("names with spaces, quotes, unicode and newlines: of files, of branches, of the repository", async () => {
  const repo = makeRepository(join(room(), `sp ace "q'uote 日本\nüx $(id)`));
  const names = [
    "sp ace.txt",
    "q\"uo'te.txt",
    "日本/ü.txt",
    "new\nline.txt",
    "tab\t.txt",
    "-dash",
    "--output=x",
    "[a]*?.txt",
    "$(id);x",
    "a:b",
  ];
  commit(repo, "odd", Object.fromEntries(names.map((name) => [name, "x\n"])));
  git(repo, ["branch", "日本/ü+#"]);
  await likePlainGit(repo, [...everything, { op: "log", ref: "日本/ü+#" }, { op: "ls_files", args: ["-z"] }]);
  for (const path of names) {
    assert.match(
      await unchanged(repo, () => readGit(gate, repo, { op: "log", args: ["--oneline"], path })),
      /^[0-9a-f]+ odd\n$/,
      path,
    );
    assert.match(await readGit(gate, repo, { op: "blame", path }), /\) x\n$/, path);
  }
});

test("a grant with hide globs: what is hidden is not read from the work tree", async () => {
  const repo = makeRepository(join(room(), "repo"));
  writeFiles(repo, { ".env": "SECRET=canary\n", "sub/.env": "SECRET=canary\n", "b.txt": "b\n" });
  git(repo, ["add", "-A"]);
  git(repo, ["reset", "-q", ".env", "sub"]);
  const hiding = openGitGate(directories, [{ path: directories.root, mode: "rw", hide: ["**/.env"] }]);
  for (const call of [{ op: "status" }, { op: "diff", ref: "HEAD" }, { op: "ls_files", args: ["-o"] }]) {
    const result = await unchanged(repo, () => ranGit(hiding, repo, call));
    assert.equal(result.exit_code, 0, result.stderr);
    assert.doesNotMatch(result.stdout, /canary/);
  }
  hiding.close();
  const none = openGitGate(directories, [{ path: directories.root, mode: "rw", hide: ["**/.git"] }]);
  assert.equal((await refusedGit(none, repo, { op: "status" })).error, "fs_denied");
  none.close();
});

test("objects lent by another repository: with a grant on it they are read, without one it is named", async () => {
  const base = room();
  const lender = makeRepository(join(base, "lender"));
  git(base, ["clone", "-q", "--shared", lender, "borrower"]);
  await likePlainGit(join(base, "borrower"));
  const outside = makeRepository(join(directories.outside, "lender"));
  git(base, ["clone", "-q", "--shared", outside, "poor"]);
  const reply = await unchanged(base, () => refusedGit(gate, join(base, "poor"), { op: "log" }));
  assert.equal(reply.error, "fs_denied");
  assert.ok(reply.message.includes(`${outside}/.git/objects`), reply.message);
});

test("no configuration at all", async () => {
  const repo = makeRepository(join(room(), "repo"));
  rmSync(join(repo, ".git/config"));
  await likePlainGit(repo);
});
