// The names of an index, compared with what git itself lists; and what is no index.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { parseIndexNames } from "../../src/git/index-names.ts";

function git(cwd: string, ...words: string[]): string {
  return execFileSync("git", words, { cwd, encoding: "utf8" });
}

function repository(t: TestContext, ...init: string[]): string {
  const root = mkdtempSync(join(tmpdir(), "sallyport-index-"));
  t.after(() => rmSync(root, { recursive: true }));
  git(root, "init", "-q", ...init, ".");
  const names = [
    "a",
    "ab",
    "a b/c",
    "deep/".repeat(40) + "x",
    "ünï",
    "long-".repeat(40),
    ...Array.from({ length: 300 }, (_, n) => `d${n % 7}/f${n}`),
  ];
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), name);
  }
  git(root, "add", "-A");
  return root;
}

const listed = (root: string) =>
  git(root, "ls-files", "-z")
    .split("\0")
    .filter((name) => name !== "");
const parsed = (root: string, idBytes = 20) =>
  parseIndexNames(readFileSync(join(root, ".git/index")), idBytes).map(({ path }) => path);

test("versions 2, 3 and 4, and SHA-256, give what git ls-files gives", (t) => {
  for (const version of ["2", "4"]) {
    const root = repository(t);
    git(root, "update-index", `--index-version=${version}`);
    assert.deepEqual(parsed(root), listed(root), `version ${version}`);
    assert.equal(readFileSync(join(root, ".git/index")).readUInt32BE(4), Number(version));
  }
  const extended = repository(t);
  writeFileSync(join(extended, "announced"), "");
  git(extended, "add", "-N", "announced");
  assert.equal(readFileSync(join(extended, ".git/index")).readUInt32BE(4), 3);
  assert.deepEqual(
    parsed(extended),
    listed(extended).filter((name) => name !== "announced"),
  );
  const sha256 = repository(t, "--object-format=sha256");
  assert.deepEqual(parsed(sha256, 32), listed(sha256));
});

test("a split index, a cut one, and what is none, name nothing", (t) => {
  const root = repository(t);
  const whole = readFileSync(join(root, ".git/index"));
  for (const cut of [0, 4, 11, 40, 100, 1_000]) assert.deepEqual(parseIndexNames(whole.subarray(0, cut), 20), []);
  assert.deepEqual(parseIndexNames(Buffer.from("no index at all, but long enough"), 20), []);
  git(root, "update-index", "--split-index");
  assert.deepEqual(parsed(root), []);
});
