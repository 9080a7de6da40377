// Repositories however they store things: filters, partial history, other hashes, other indexes. Git's own answer each time,
// and after every call no byte, time or mode under the repository has changed.

import assert from "node:assert/strict";
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { everything, openLayouts, unchanged } from "../fixtures/git-layout.ts";
import { commit, git, makeRepository, plainGit, ranGit, readGit, writeFiles } from "../fixtures/git.ts";

const layouts = openLayouts();
const { directories, gate, room, likePlainGit } = layouts;
after(() => layouts.close());

test("LFS: the filters are not there, and history and clean files come out as they are", async () => {
  const repo = makeRepository(join(room(), "repo"));
  const pointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 16\n";
  // As after a checkout with git-lfs: the picture in the work tree, the pointer in the repository.
  writeFiles(repo, {
    ".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n",
    "x.psd": "the real picture",
    pointer,
  });
  utimesSync(join(repo, "x.psd"), new Date(1_600_000_000_000), new Date(1_600_000_000_000));
  git(repo, ["-c", "filter.lfs.clean=cat pointer", "add", "x.psd", ".gitattributes"]);
  rmSync(join(repo, "pointer"));
  git(repo, ["commit", "-q", "-m", "a picture"]);
  for (const [key, value] of [
    ["clean", "git-lfs clean -- %f"],
    ["smudge", "git-lfs smudge -- %f"],
    ["process", "git-lfs filter-process"],
    ["required", "true"],
  ] as const)
    git(repo, ["config", `filter.lfs.${key}`, value]);
  assert.equal(await unchanged(repo, () => readGit(gate, repo, { op: "status" })), "");
  assert.equal(await unchanged(repo, () => readGit(gate, repo, { op: "diff" })), "");
  assert.match(await readGit(gate, repo, { op: "log", args: ["-p", "-1"] }), /git-lfs\.github\.com/);
  assert.equal(await readGit(gate, repo, { op: "show", ref: "HEAD:x.psd" }), pointer);
  writeFiles(repo, { "x.psd": "the same length!" });
  assert.equal(await unchanged(repo, () => readGit(gate, repo, { op: "status" })), " M x.psd\n");
  assert.match(plainGit(repo, ["diff"]).stderr, /git-lfs/, "the control: plain git starts it");
});

test("a shallow clone", async () => {
  const base = room();
  const origin = makeRepository(join(base, "origin"));
  for (const name of ["two", "three"]) commit(origin, name, { "a.txt": `${name}\n` });
  git(base, ["clone", "-q", "--depth=1", `file://${origin}`, "shallow"]);
  await likePlainGit(join(base, "shallow"), [
    ...everything,
    { op: "rev_parse", args: ["--is-shallow-repository"] },
    { op: "blame", path: "a.txt" },
  ]);
});

test("a partial clone: history and status work; a missing file is git's error, not a fetch", async () => {
  const base = room();
  const origin = makeRepository(join(base, "origin"));
  commit(origin, "two", { "a.txt": "second version\n", "b.txt": "b\n" });
  git(origin, ["config", "uploadpack.allowFilter", "true"]);
  git(base, ["clone", "-q", "--filter=blob:none", `file://${origin}`, "partial"]);
  const repo = join(base, "partial");
  await likePlainGit(repo, [
    { op: "status" },
    { op: "log" },
    { op: "log", args: ["--name-status"] },
    { op: "ls_files", args: ["-s"] },
    { op: "branch", args: ["-vv"] },
    { op: "rev_parse" },
  ]);
  const missing = await unchanged(base, () => ranGit(gate, repo, { op: "show", ref: "HEAD~1:a.txt" }));
  assert.notEqual(missing.exit_code, 0);
  assert.doesNotMatch(missing.stdout, /one/);
  assert.equal((await unchanged(base, () => ranGit(gate, repo, { op: "log", args: ["-p"] }))).timed_out, false);
  assert.match(git(repo, ["show", "HEAD~1:a.txt"]), /^one/, "the control: plain git fetches it");
});

test("a sha256 repository", async () => {
  const repo = makeRepository(join(room(), "repo"), { init: ["--object-format=sha256"] });
  commit(repo, "two", { "b.txt": "b\n" });
  await likePlainGit(repo, [
    ...everything,
    { op: "rev_parse", args: ["--verify"] },
    { op: "rev_parse", args: ["--show-object-format"] },
  ]);
  assert.match(await readGit(gate, repo, { op: "rev_parse", args: ["--verify"] }), /^[0-9a-f]{64}\n$/);
});

test("a sparse checkout, with and without a sparse index", async () => {
  for (const index of ["--no-sparse-index", "--sparse-index"]) {
    const repo = makeRepository(join(room(), "repo"));
    commit(repo, "wide", { "in/x.txt": "x\n", "out/y.txt": "y\n", "out/deep/z.txt": "z\n" });
    git(repo, ["sparse-checkout", "set", "--cone", index, "in"]);
    await likePlainGit(repo, [...everything, { op: "log", path: "out/y.txt" }, { op: "ls_files", args: ["-t"] }]);
    writeFiles(repo, { "in/x.txt": "changed\n" });
    await likePlainGit(repo);
  }
});

test("index version 4, split index, fsmonitor and untracked cache", async () => {
  const repo = makeRepository(join(room(), "repo"));
  git(repo, ["update-index", "--index-version", "4"]);
  await likePlainGit(repo);
  git(repo, ["update-index", "--force-untracked-cache"]);
  git(repo, ["config", "core.untrackedCache", "true"]);
  git(repo, ["status"], { env: { GIT_OPTIONAL_LOCKS: "1" } });
  writeFiles(repo, { "later.txt": "x\n" });
  const later = new Date(Date.now() + 5_000);
  utimesSync(repo, later, later); // the cache goes by whole seconds
  await likePlainGit(repo);
  git(repo, ["update-index", "--split-index"]);
  await likePlainGit(repo);
  git(repo, ["config", "core.fsmonitor", "true"]);
  assert.equal(await unchanged(repo, () => readGit(gate, repo, { op: "status" })), "?? later.txt\n");
  assert.equal(await unchanged(repo, () => readGit(gate, repo, { op: "ls_files" })), "a.txt\n");
});

test("a commit graph, packed refs only, a multi-pack index", async () => {
  const repo = makeRepository(join(room(), "repo"));
  for (const name of ["two", "three"]) commit(repo, name, { "a.txt": `${name}\n` });
  git(repo, ["branch", "other"]);
  git(repo, ["gc", "-q"]);
  git(repo, ["commit-graph", "write", "--reachable", "--changed-paths"]);
  git(repo, ["multi-pack-index", "write"]);
  git(repo, ["pack-refs", "--all"]);
  await likePlainGit(repo, [...everything, { op: "log", path: "a.txt" }, { op: "log", args: ["--graph", "--all"] }]);
});

const hasReftable =
  plainGit(directories.base, ["init", "-q", "--ref-format=reftable", join(directories.base, "reftable-probe")])
    .exitCode === 0;

test("reftable: as plain git reads it, or, before git 2.45, as plain git refuses it", async () => {
  const repo = makeRepository(join(room(), "repo"), { init: hasReftable ? ["--ref-format=reftable"] : [] });
  if (hasReftable) return await likePlainGit(repo);
  const declared = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefstorage = reftable\n";
  writeFiles(repo, { ".git/config": declared });
  const plain = plainGit(repo, ["status", "--porcelain"]);
  assert.notEqual(plain.exitCode, 0);
  const reply = await gate.call({ tool: "Git", args: { op: "status", repo } });
  assert.ok(reply.ok);
  assert.equal(reply.result["exit_code"], plain.exitCode);
});

test("line endings and an upstream come out as the configuration says", async () => {
  const base = room();
  const origin = makeRepository(join(base, "origin"));
  git(base, ["clone", "-q", origin, "repo"]);
  const repo = join(base, "repo");
  git(repo, ["config", "core.autocrlf", "true"]);
  commit(repo, "crlf", { "win.txt": "a\r\nb\r\n" });
  writeFiles(repo, { "a.txt": "one\r\ntwo\r\nthree\r\n" });
  await likePlainGit(repo, [
    ...everything,
    { op: "log", ref: "@{u}..HEAD" },
    { op: "status", args: ["-sb"] },
    { op: "branch", args: ["--format=%(upstream:track)"] },
  ]);
  assert.match(await readGit(gate, repo, { op: "status", args: ["-sb"] }), /^## main\.\.\.origin\/main \[ahead 1\]/);
});
