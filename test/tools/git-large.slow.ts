// Large repositories: a hundred thousand commits, and a hundred thousand files. Everyday questions are answered in time, and
// what is too long is cut, with the flags that say so.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { git, makeRepository, openGitGate, plainGit, ranGit, readGit, writeFiles } from "../fixtures/git.ts";

const COMMITS = 100_000;
const FILES = 100_000;
const STDOUT_BYTES = 1 << 20;
const STDERR_BYTES = 256 << 10;

const directories = makeTestDirectories();
const gate = openGitGate(directories);
const deep = join(directories.root, "deep");
const wide = join(directories.root, "wide");

before(() => {
  makeRepository(deep, { isUnborn: true });
  git(deep, ["fast-import", "--quiet"], { input: commitStream() });
  git(deep, ["reset", "-q", "--hard"]);
  makeRepository(wide, { isUnborn: true });
  git(wide, ["fast-import", "--quiet"], { input: fileStream() });
  git(wide, ["reset", "-q", "--hard"]);
});
after(() => {
  gate.close();
  directories.remove();
});

function commitStream(): string {
  const parts: string[] = [];
  for (let index = 0; index < COMMITS; index++) {
    const message = `commit number ${index}\n`;
    const content = `line ${index}\n`;
    parts.push(
      `commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_500_000_000 + index * 60} +0000\ndata ${message.length}\n${message}`,
    );
    parts.push(`M 644 inline file-${index % 50}.txt\ndata ${content.length}\n${content}\n`);
  }
  return parts.join("");
}

function fileStream(): string {
  const parts = ["commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 5\nwide\n"];
  for (let index = 0; index < FILES; index++) {
    const content = `content of file ${index}\n`;
    parts.push(`M 644 inline d${Math.floor(index / 1000)}/file-${index}.txt\ndata ${content.length}\n${content}\n`);
  }
  return parts.join("");
}

test("a hundred thousand commits: status, log, blame, branch and rev_parse answer", async () => {
  assert.equal(await readGit(gate, deep, { op: "status" }), "");
  assert.equal((await readGit(gate, deep, { op: "log", args: ["--oneline", "-n", "20"] })).split("\n").length, 21);
  assert.match(
    await readGit(gate, deep, { op: "log", args: ["-n1", "--format=%s"], path: "file-7.txt" }),
    /^commit number \d+07\n$|^commit number \d+57\n$/,
  );
  assert.match(
    await readGit(gate, deep, {
      op: "log",
      args: ["--oneline", "--reverse", "-n", "1"],
      ref: "HEAD~99990..HEAD~99980",
    }),
    /commit number 1\d\n$/,
  );
  assert.match(await readGit(gate, deep, { op: "blame", path: "file-3.txt" }), /line \d+\n$/);
  assert.equal(await readGit(gate, deep, { op: "branch", args: ["--contains", "HEAD~99999"] }), "* main\n");
});

test("a long log is cut at 1 MB, and says so", async () => {
  const whole = Buffer.byteLength(plainGit(deep, ["log", "--oneline"]).stdout);
  assert.ok(whole > STDOUT_BYTES);
  const result = await ranGit(gate, deep, { op: "log", args: ["--oneline"] });
  assert.equal(result.exit_code, 0);
  assert.equal(result.stdout_truncated, true);
  assert.equal(result.stderr_truncated, false);
  assert.equal(result.stdout_bytes, whole);
  const kept = Buffer.byteLength(result.stdout);
  assert.ok(kept <= STDOUT_BYTES + 200 && kept > STDOUT_BYTES * 0.9, `${kept} bytes are kept`);
  const short = await ranGit(gate, deep, { op: "log", args: ["--oneline", "-n1000"] });
  assert.equal(short.stdout_truncated, false);
  assert.equal(short.stdout_bytes, Buffer.byteLength(short.stdout));
});

test("what takes longer than it may is ended, and says so", async () => {
  const result = await ranGit(gate, deep, {
    op: "log",
    args: ["-p", "-S", "no such text anywhere", "--find-copies-harder", "-C"],
    timeout_s: 1,
  });
  assert.equal(result.timed_out, true);
  assert.equal(result.exit_code, null);
});

test("a hundred thousand files: status, ls_files and diff answer", async () => {
  assert.equal(await readGit(gate, wide, { op: "status" }), "");
  writeFiles(wide, { "d5/file-5001.txt": "changed\n", "d99/new.txt": "new\n" });
  assert.equal(await readGit(gate, wide, { op: "status" }), " M d5/file-5001.txt\n?? d99/new.txt\n");
  assert.equal(await readGit(gate, wide, { op: "diff", args: ["--name-only"] }), "d5/file-5001.txt\n");
  const listed = await ranGit(gate, wide, { op: "ls_files" });
  assert.equal(listed.exit_code, 0);
  assert.equal(listed.stdout_truncated, true);
  assert.equal(listed.stdout_bytes, Buffer.byteLength(plainGit(wide, ["ls-files"]).stdout));
  assert.equal((await readGit(gate, wide, { op: "ls_files", path: "d42" })).split("\n").length, 1001);
});

test("many warnings are cut at 256 KB, and the answer is not", async () => {
  const repo = makeRepository(join(directories.root, "warnings"));
  const names = Array.from({ length: 4_000 }, (_, index) => `a-rather-long-name-of-a-file-${index}.txt`);
  writeFiles(repo, Object.fromEntries(names.map((name) => [name, "one\n"])));
  git(repo, ["add", "-A"]);
  git(repo, ["config", "core.autocrlf", "true"]);
  writeFiles(repo, Object.fromEntries(names.map((name) => [name, "other\n"])));
  const result = await ranGit(gate, repo, { op: "diff", args: ["--shortstat"] });
  assert.match(result.stdout, /4000 files changed/);
  assert.equal(result.stderr_truncated, true);
  assert.equal(result.stdout_truncated, false);
  assert.ok(result.stderr_bytes > STDERR_BYTES);
  assert.ok(Buffer.byteLength(result.stderr) <= STDERR_BYTES + 200, String(Buffer.byteLength(result.stderr)));
});
