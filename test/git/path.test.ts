// Paths inside a repository: relative, by component, literal; never the repository's own directory, in no disguise.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { parseRepositoryPath } from "../../src/git/path.ts";
import { isGitDirectoryName } from "../../src/shared/git-name.ts";
import { checkPathInWorkTree } from "../../src/git/path-in-work-tree.ts";
import { git, makeRepository, plainGit } from "../fixtures/git.ts";
import { runs } from "../fixtures/runs.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-path-")));
after(() => rmSync(base, { recursive: true, force: true }));

const taken = [
  "a.txt",
  "src/a.ts",
  ".",
  "src/",
  "./src",
  "a b/c d.txt",
  "app/[...slug]/page.tsx",
  "weird*name?.txt",
  "a&b;c $(d).txt",
  'it\'s "quoted"',
  "日本/ü.txt",
  "...",
  "..a",
  "a..",
  "a/..b",
  "-dash",
  "--output=x",
  ".github/x.yml",
  ".gitignore",
  ".gitattributes",
  ".gitmodules",
  "git",
  "x.git",
  "new\nline",
  "tab\there",
  "a:b",
  "foo~",
  "~tilde.txt",
  "~$report.docx",
  "~lock.a.odt#",
  "~dir.d/x",
  "./~root",
  "a/~/b",
  "a\u202eb",
  ".git2",
  "agit~1",
  "git~10",
];

test("takes what files are called, as it is written", () => {
  for (const path of taken)
    assert.deepEqual(parseRepositoryPath(path), { ok: true, value: path }, JSON.stringify(path));
});

const refused: [string, RegExp][] = [
  ["", /empty/],
  ["/etc/passwd", /absolute/],
  ["//x", /absolute/],
  ["..", /upwards/],
  ["../x", /upwards/],
  ["a/../b", /upwards/],
  ["a/..", /upwards/],
  ["./../x", /upwards/],
  ["..\\x", /backslash/],
  ["a\0b", /NUL/],
  ["\ud800", /half/],
  ["~/x", /~/],
  ["~", /~/],
  ["~root", /~/],
  ["~root/x", /~/],
  ["~+/x", /~/],
  [":!a.txt", /pattern/],
  [":(glob)**", /pattern/],
  ["x".repeat(4_001), /longer/],
  [".git", /own directory/],
  [".git/config", /own directory/],
  ["sub/.git/config", /own directory/],
  [".GIT/config", /own directory/],
  [".Git", /own directory/],
  [".g\u200cit/config", /own directory/],
  ["\ufeff.git", /own directory/],
  [".git\u202e", /own directory/],
  [".git.", /own directory/],
  [".git ", /own directory/],
  [".git . .", /own directory/],
  ["git~1/config", /own directory/],
  ["GIT~1", /own directory/],
  [".git::$INDEX_ALLOCATION/config", /own directory/],
  [".git:x", /own directory/],
  ["．git", /own directory/],
  [".ｇｉｔ", /own directory/],
];

test("refuses what leads elsewhere, says why and what would pass", () => {
  for (const [path, why] of refused) {
    const parsed = parseRepositoryPath(path);
    assert.ok(!parsed.ok, JSON.stringify(path));
    assert.equal(parsed.failure.error, "invalid_args");
    assert.match(parsed.failure.message, /^path: /);
    assert.match(parsed.failure.message, why, JSON.stringify(path));
    assert.match(parsed.failure.hint ?? "", /src\/a\.ts/);
  }
});

test("no disguise of .git that git itself refuses in a tree is a name to us", () => {
  const repo = makeRepository(join(base, "disguises"));
  const blob = git(repo, ["hash-object", "-w", "--stdin"], { input: "x" }).trim();
  const ignored = fc.constantFrom(
    "\u200c",
    "\u200d",
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202b",
    "\u202c",
    "\u202d",
    "\u202e",
    "\u206a",
    "\u206f",
    "\ufeff",
    "",
  );
  const letters = [".", "g", "i", "t"].map((letter) => fc.constantFrom(letter, letter.toUpperCase()));
  const hfs = fc.tuple(ignored, ...letters.flatMap((letter) => [letter, ignored]), fc.constantFrom("", "", "x"));
  const ntfs = fc.tuple(...letters, fc.constantFrom("", ".", " ", "...", ". .", "::$INDEX_ALLOCATION", ":x", "x"));
  const disguise = fc
    .oneof(hfs, ntfs, fc.constantFrom(["git~1"], ["GIT~1"], ["gi7eba~1"]))
    .map((parts) => parts.join(""));
  const settings = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"];
  let seen = 0;
  for (const name of fc.sample(disguise, 300)) {
    const isRefused =
      plainGit(repo, [...settings, "update-index", "--add", "--cacheinfo", `100644,${blob},${name}/x`]).exitCode !== 0;
    if (isRefused) seen += 1;
    if (isRefused) assert.ok(isGitDirectoryName(name), `git refuses ${JSON.stringify(name)}`);
  }
  assert.ok(seen > 100, `git refused only ${seen}`);
  assert.ok(!isGitDirectoryName(".gitx") && !isGitDirectoryName("git"));
});

test("whatever is taken lies inside, by its text", () => {
  const unit = fc.constantFrom("a", "..", ".", "/", "//", "~", ":", "\\", ".git", " ", "ü", "\n", "*");
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      if (!parseRepositoryPath(text).ok) return;
      const inside = join("/root", text);
      assert.ok(inside === "/root" || inside === "/root/" || inside.startsWith("/root/"), text);
      assert.ok(!inside.split("/").includes(".git"), text);
    }),
    { numRuns: runs(2_000) },
  );
});

test("by its real path too: not through a link to the outside, nor into the repository's own directory", () => {
  const repo = makeRepository(join(base, "links"));
  mkdirSync(join(repo, "src"));
  symlinkSync("/etc", join(repo, "out"));
  symlinkSync("../..", join(repo, "src/up"));
  symlinkSync(".git", join(repo, "meta"));
  symlinkSync("src", join(repo, "in"));
  symlinkSync("/etc/passwd", join(repo, "file"));
  const repository = {
    workTree: repo,
    gitDirectory: `${repo}/.git`,
    commonDirectory: `${repo}/.git`,
    configFile: null,
    isOwnedByGate: true,
  };
  const isTaken = (path: string) => checkPathInWorkTree(path, repository).ok;
  for (const path of [
    "a.txt",
    ".",
    "src",
    "src/new/deep",
    "in/x",
    "gone/long/ago",
    "file",
    "out",
    "meta",
    "src/../a.txt",
  ])
    assert.ok(isTaken(path), path);
  for (const path of ["out/passwd", "src/up/x", "in/up/x", "meta/config", "meta/refs/heads", "out/x/y"])
    assert.ok(!isTaken(path), path);
  assert.ok(checkPathInWorkTree("anything", { ...repository, workTree: null }).ok, "a bare repository has no files");
  assert.ok(checkPathInWorkTree(undefined, repository).ok);
});
