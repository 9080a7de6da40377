// Repositories as nobody should have them: forged, broken, or made to be misread. Each is refused in words, or answered without
// anything of it in force.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import type { Reply } from "../../src/index.ts";
import { everything, openLayouts, unchanged } from "../fixtures/git-layout.ts";
import {
  callGit,
  commit,
  git,
  makeRepository,
  openGitGate,
  plainGit,
  ranGit,
  refusedGit,
  writeFiles,
} from "../fixtures/git.ts";
import { isRoot } from "../fixtures/run.ts";

const layouts = openLayouts();
const { directories, gate, room } = layouts;
after(() => layouts.close());

test("a checkout that points into a repository which does not list it", async () => {
  const main = makeRepository(join(room(), "main"));
  git(main, ["worktree", "add", "-q", join(main, "../real")]);
  const forged = join(main, "../forged");
  mkdirSync(forged);
  cpSync(join(main, "../real/.git"), join(forged, ".git"));
  const reply = await refusedGit(gate, forged, { op: "status" });
  assert.equal(reply.error, "invalid_args");
  assert.match(reply.hint ?? "", /worktree repair/);
});

test("a hostile submodule: its configuration is never in force", async () => {
  const base = room();
  const child = makeRepository(join(base, "child"));
  const repo = makeRepository(join(base, "parent"));
  git(repo, ["-c", "protocol.file.allow=always", "submodule", "add", "-q", child, "sub"]);
  commit(repo, "with submodule");
  commit(join(repo, "sub"), "ahead", { "a.txt": "ahead\n" });
  writeFiles(join(repo, "sub"), { ".gitattributes": "* filter=x diff=x\n", "a.txt": "dirty\n" });
  const hostile = (program: string) => {
    for (const key of ["filter.x.clean", "diff.external", "core.pager", "diff.x.textconv"])
      git(join(repo, "sub"), ["config", key, program]);
  };
  // In the box a program could leave no trace, but it would take its time.
  hostile("sleep 60;");
  const withShell = openGitGate(directories, [
    { path: "/usr", mode: "r" },
    { path: directories.root, mode: "rw" },
  ]);
  for (const call of [
    ...everything,
    { op: "diff", args: ["--submodule=log"] },
    { op: "log", args: ["-p", "--submodule=log"] },
    { op: "status", args: ["--ignore-submodules=all"] },
  ]) {
    const result = await unchanged(base, () => ranGit(withShell, repo, { ...call, timeout_s: 5 }));
    assert.equal(result.timed_out, false, JSON.stringify(call));
    assert.equal(result.exit_code, 0, result.stderr);
    assert.equal(result.stderr, "", JSON.stringify(call));
  }
  withShell.close();
  const marker = join(base, "marker");
  hostile(`touch ${marker}; cat;`);
  plainGit(repo, ["-c", "core.fsmonitor=false", "status", "--ignore-submodules=none"]);
  assert.ok(existsSync(marker), "the control: plain git runs it, whatever its command line says");
  for (const args of [["--ignore-submodules=none"], ["--ignore-submodules=untracked"]])
    assert.equal((await refusedGit(gate, repo, { op: "status", args })).error, "invalid_args");
});

// What may stand in the place of the configuration, and what is said then.
const strange: [string, (config: string, base: string) => void][] = [
  ["a file of 5 MB", (config) => truncateSync(config, 5 << 20)],
  ["a named pipe", (config) => (rmSync(config), void spawnSync("mkfifo", [config]))],
  ["a directory", (config) => (rmSync(config), mkdirSync(config))],
  ["a link that leads nowhere", (config) => (rmSync(config), symlinkSync("nothing", config))],
  ["a link to itself", (config) => (rmSync(config), symlinkSync("config", config))],
];

for (const [what, make] of strange) {
  test(`${what} in the place of the configuration: refused at once, in words`, async () => {
    const repo = makeRepository(join(room(), "repo"));
    make(join(repo, ".git/config"), repo);
    const reply = await refusedGit(gate, repo, { op: "status" });
    assert.equal(reply.error, "invalid_args");
    assert.match(reply.message, /config file of .* is not a readable file/);
  });
}

test("a configuration that may not be read is refused; root may read it, and then it is replaced like any other", async () => {
  const repo = makeRepository(join(room(), "repo"));
  chmodSync(join(repo, ".git/config"), 0o000);
  if (!isRoot) assert.match((await refusedGit(gate, repo, { op: "status" })).message, /not a readable file/);
  else assert.ok((await gate.call({ tool: "Git", args: { op: "status", repo } })).ok);
});

test("a link that leads nowhere on this machine, but perhaps in the box: its place is not granted", async () => {
  const repo = makeRepository(join(room(), "repo"));
  rmSync(join(repo, ".git/config"));
  symlinkSync("/workspace/config", join(repo, ".git/config"));
  assert.equal((await refusedGit(gate, repo, { op: "status" })).error, "fs_denied");
});

test("a configuration behind a link: inside the grants ours stands in its place, outside it is named", async () => {
  const base = room();
  const repo = makeRepository(join(base, "repo"));
  const config = join(repo, ".git/config");
  const own = readFileSync(config, "utf8");
  const marker = join(base, "marker");
  const hostile = (program: string) => `${own}[filter "x"]\n\tclean = ${program}\n`;
  writeFiles(repo, { ".git/info/attributes": "* filter=x\n", "a.txt": "one\ntwo\nTHREE\n" });
  rmSync(config);
  symlinkSync("../../shared-config", config);
  writeFileSync(join(base, "shared-config"), hostile("sleep 60"));
  const withShell = openGitGate(directories, [
    { path: "/usr", mode: "r" },
    { path: directories.root, mode: "rw" },
  ]);
  const result = await unchanged(base, () => ranGit(withShell, repo, { op: "diff", args: ["--stat"], timeout_s: 5 }));
  withShell.close();
  assert.equal(result.timed_out, false);
  assert.match(result.stdout, /a\.txt \| 2 \+-/);
  writeFileSync(join(base, "shared-config"), hostile(`touch ${marker}`));
  plainGit(repo, ["diff"]);
  assert.ok(existsSync(marker), "the control: plain git runs it");
  writeFileSync(join(directories.outside, "config"), own);
  rmSync(config);
  symlinkSync(join(directories.outside, "config"), config);
  const reply = await refusedGit(gate, repo, { op: "status" });
  assert.equal(reply.error, "fs_denied");
  assert.ok(reply.message.includes(join(directories.outside, "config")), reply.message);
});

test("a commondir that git would follow and a careless reader would not see", async () => {
  const base = room();
  const other = makeRepository(join(base, "other"));
  const target = join(other, ".git");
  for (const text of [`${target}${"\n".repeat(2 << 20)}`, `${target}\0x\n`, ""]) {
    const repo = makeRepository(join(base, `repo-${text.length}`));
    writeFileSync(join(repo, ".git/commondir"), text);
    const reply = await refusedGit(gate, repo, { op: "status" });
    assert.equal(reply.error, "invalid_args");
    assert.match(reply.message, /commondir file/);
  }
});

test("what is no repository: refused in words, whatever is there", async () => {
  const base = room();
  const strangeGit: [string, (path: string) => unknown][] = [
    ["nothing", () => null],
    ["an empty .git", (path) => mkdirSync(join(path, ".git"))],
    ["a pointer to nowhere", (path) => writeFileSync(join(path, ".git"), "gitdir: /nonexistent\n")],
    ["a pointer to itself", (path) => writeFileSync(join(path, ".git"), "gitdir: .git\n")],
    ["an empty pointer", (path) => writeFileSync(join(path, ".git"), "")],
    ["a pipe", (path) => spawnSync("mkfifo", [join(path, ".git")])],
    ["a link to itself", (path) => symlinkSync(".git", join(path, ".git"))],
    ["no pointer", (path) => writeFileSync(join(path, ".git"), "something else\n")],
  ];
  for (const [index, [what, make]] of strangeGit.entries()) {
    const path = join(base, String(index));
    mkdirSync(path);
    make(path);
    const reply: Reply = await callGit(gate, path, { op: "status" });
    assert.ok(
      !reply.ok && (reply.error === "invalid_args" || reply.error === "fs_denied"),
      `${what}: ${JSON.stringify(reply)}`,
    );
  }
  for (const repo of ["repo", "", "./x", `${base}/0\0x`])
    assert.equal((await refusedGit(gate, repo, { op: "status" })).error, "invalid_args", repo);
  assert.equal((await refusedGit(gate, join(base, "x".repeat(5_000)), { op: "status" })).error, "invalid_args");
  assert.equal((await refusedGit(gate, `${base}/${"y/".repeat(3_000)}`, { op: "status" })).error, "invalid_args");
});
