// Branch names: what we take, git takes; one branch has one spelling, so that a protected one is known in every case.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { branchRef, isProtectedBranch, parseBranchName } from "../../src/git/ref-name.ts";
import { runs } from "../fixtures/runs.ts";

const environment = {
  PATH: "/usr/bin:/bin",
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

function gitTakes(branch: string): boolean {
  const ended = spawnSync("/usr/bin/git", ["check-ref-format", "--branch", branch], { env: environment, cwd: "/" });
  return ended.status === 0 && ended.stdout.toString() === `${branch}\n`;
}

const taken = [
  "main",
  "fix/typo",
  "a",
  "feature-1.2",
  "日本/ü",
  "x@y",
  "a.lock.b",
  "user@host",
  "v1.0",
  "x-",
  "a-",
  "origin/main",
  "@a",
  "😀",
];

test("takes what git takes", () => {
  for (const branch of taken) {
    assert.deepEqual(parseBranchName(branch), { ok: true, value: branch });
    assert.ok(gitTakes(branch), branch);
  }
});

const refused = [
  "",
  "-x",
  "a b",
  "a..b",
  "a~1",
  "a^",
  "a:b",
  "a?",
  "a*",
  "a[b",
  "a\\b",
  "a@{1}",
  "@{-1}",
  "/a",
  "a/",
  "a//b",
  ".a",
  "a/.b",
  "a.",
  "a.lock",
  "a.lock/b",
  "a\nb",
  "a\x7f",
  "HEAD",
];

test("refuses what git refuses", () => {
  for (const branch of refused) {
    assert.equal(parseBranchName(branch).ok, false, branch);
    assert.equal(gitTakes(branch), false, branch);
  }
});

test("random names: never one that git refuses, and stricter only where we say so", () => {
  const pieces = [
    "a",
    "b",
    "/",
    ".",
    "..",
    ".lock",
    "@",
    "{",
    "~",
    "-",
    "HEAD",
    "refs/",
    "heads/",
    "ü",
    " ",
    "\\",
    "1",
    ":",
    "[",
    "_",
    "*",
    "\x01",
    "main",
  ];
  const numRuns = runs(500, 80);
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 }), (parts) => {
      const text = parts.join("");
      const ours = parseBranchName(text);
      if (ours.ok) {
        accepted += 1;
        assert.ok(gitTakes(ours.value), text);
        assert.ok(gitTakes(text) || text.startsWith("refs/heads/"), text);
        assert.deepEqual(parseBranchName(ours.value), ours);
      } else if (!/^(?:refs|heads|tags|remotes)\/|^head$|^refs$|^@$/i.test(text)) {
        assert.equal(gitTakes(text), false, text);
      }
    }),
    { numRuns },
  );
  assert.ok(accepted > numRuns / 20, `${accepted} accepted`);
});

test("another spelling of a ref is read as the branch, or refused", () => {
  assert.deepEqual(parseBranchName("refs/heads/main"), { ok: true, value: "main" });
  assert.equal(branchRef("main"), "refs/heads/main");
  const others = [
    "refs/heads/refs/heads/main",
    "refs/tags/v1",
    "refs/main",
    "refs",
    "heads/main",
    "Heads/main",
    "tags/v1",
    "remotes/origin/main",
    "refs/heads/",
    "refs/heads/heads/main",
    "refs/heads/HEAD",
    "head",
    "@",
    "a".repeat(40),
    "0".repeat(64),
    "main\u200b",
    "ma\u00adin",
    "a\u202eb",
    "a\u00a0b",
    "\ud800",
    "x".repeat(241),
  ];
  for (const text of others) assert.equal(parseBranchName(text).ok, false, text);
});

test("main, master, production, release… and the default branch are protected, in any case", () => {
  for (const branch of [
    "main",
    "Main",
    "MASTER",
    "production",
    "release",
    "release/1.0",
    "Releases",
    "release-2",
    "refs/heads/main",
    "ｍain",
  ])
    assert.ok(isProtectedBranch(branch, null), branch);
  for (const branch of ["trunk", "TRUNK", "refs/heads/trunk"]) assert.ok(isProtectedBranch(branch, "trunk"), branch);
  assert.ok(isProtectedBranch("trunk", "refs/heads/Trunk"));
  for (const branch of ["feature", "main2", "maintenance", "trunk", "prerelease", "fix/main"])
    assert.equal(isProtectedBranch(branch, "develop"), false, branch);
});
