// The names of an index, compared with what git itself lists; and what is no index.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { parseIndexNames, plainIndex } from "../../src/git/index-names.ts";

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

test("an index without some entries, or of a directory, is one that git reads", (t) => {
  for (const [version, format] of [
    ["2", "sha1"],
    ["3", "sha1"],
    ["4", "sha1"],
    ["2", "sha256"],
  ] as const) {
    const root = repository(t, `--object-format=${format}`);
    if (version === "3") git(root, "update-index", "--skip-worktree", "d3/f3", "a");
    else git(root, "update-index", `--index-version=${version}`);
    const lines = git(root, "ls-files", "--stage", "-t", "--debug").split(/(?<=flags: .*\n)/);
    const read = (below: string | null, isSeen: (path: string) => boolean): string[] => {
      const bytes = plainIndex(readFileSync(join(root, ".git/index")), format === "sha1" ? 20 : 32, below, isSeen);
      assert.ok(bytes !== null);
      writeFileSync(join(root, ".git/other"), bytes);
      const env = { ...process.env, GIT_INDEX_FILE: join(root, ".git/other") };
      const said = execFileSync("git", ["ls-files", "--stage", "-t", "--debug"], { cwd: root, encoding: "utf8", env });
      return said.split(/(?<=flags: .*\n)/);
    };
    assert.deepEqual(
      read(null, () => true),
      lines,
    );
    const isSeen = (path: string) => !path.startsWith("d3/") && path !== "ab";
    const kept = lines.filter((line) => !line.includes("\td3/") && !line.includes("\tab\n"));
    assert.ok(kept.length < lines.length - 40);
    assert.deepEqual(read(null, isSeen), kept);
    const below = lines.filter((line) => line.includes("\td3/")).map((line) => line.replace("\td3/", "\t"));
    assert.deepEqual(
      read("d3", () => true),
      below,
    );
  }
});
