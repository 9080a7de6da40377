// `.gitignore` is read as git reads it: generated trees and patterns are compared with git itself.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { limits } from "../../src/shared/limits.ts";
import { IgnoredFiles } from "../../src/workspace/ignored-files.ts";
import { createMemoryWorkspace } from "../../src/workspace/memory.ts";
import { link, pathOf, valueOf, write } from "../contracts/workspace.ts";
import { git, plainGit } from "../fixtures/git.ts";
import { runs } from "../fixtures/runs.ts";

const root = mkdtempSync(join(tmpdir(), "sallyport-ignore-"));
after(() => rmSync(root, { recursive: true, force: true }));
git(root, ["init", "-q", "repo"]);
const repo = join(root, "repo");

interface Tree {
  readonly files: readonly string[];
  readonly links?: readonly (readonly [path: string, target: string])[];
  readonly rules: Readonly<Record<string, string>>;
}

/** The directory of a `.gitignore` must be there in both. */
function contents({ files, rules }: Tree): ReadonlyMap<string, string> {
  const all = new Map(files.map((path) => [path, ""]));
  for (const [directory, text] of Object.entries(rules))
    all.set(directory === "" ? ".gitignore" : `${directory}/.gitignore`, text);
  const isDirectory = (path: string) => [...all.keys()].some((other) => other.startsWith(`${path}/`));
  return new Map([...all].filter(([path]) => !isDirectory(path)));
}

async function ignoredByUs(tree: Tree): Promise<string[]> {
  const files = createMemoryWorkspace();
  const all = contents(tree);
  const links = (tree.links ?? []).map(([path, target]) => link(path, target));
  valueOf(await files.apply([...[...all].map(([path, text]) => write(path, text)), ...links]));
  const ignored = new IgnoredFiles(files);
  const found: string[] = [];
  for (const { path } of (await files.list()).entries) if (await ignored.has(path)) found.push(path);
  return found.sort();
}

function ignoredByGit(tree: Tree): string[] {
  for (const name of plainGit(repo, ["ls-files", "-z", "--others"]).stdout.split("\0").filter(Boolean))
    rmSync(join(repo, name.split("/")[0] as string), { recursive: true, force: true });
  const all = contents(tree);
  for (const [path, text] of all) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  for (const [path, target] of tree.links ?? []) symlinkSync(target, join(repo, path));
  const paths = [...all.keys(), ...(tree.links ?? []).map(([path]) => path)];
  const checked = plainGit(repo, ["check-ignore", "-z", "--stdin"], { input: paths.join("\0") });
  assert.match(checked.stderr, /^(?:warning: unable to access '.gitignore': Too many levels of symbolic links\n)?$/);
  const ignored = checked.stdout.split("\0").filter(Boolean).sort();
  const others = git(repo, ["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]);
  const shown = new Set(others.split("\0"));
  assert.deepEqual(paths.filter((path) => !shown.has(path)).sort(), ignored, "git agrees with itself");
  return ignored;
}

async function compare(tree: Tree): Promise<string[]> {
  const [ours, gits] = [await ignoredByUs(tree), ignoredByGit(tree)];
  assert.deepEqual(ours, gits, JSON.stringify(tree));
  return gits;
}

const name = fc.constantFrom(
  "a",
  "b",
  "ab",
  "abc",
  "foo",
  "bar",
  "a b",
  "é",
  "[x]",
  "!n",
  "#h",
  "a.o",
  ".hid",
  "x-z",
  "A",
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const piece = fc.oneof(
  { weight: 6, arbitrary: name },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "*",
      "**",
      "?",
      "/",
      "/",
      "/**/",
      "**/",
      "*.o",
      "a*",
      "*b",
      "***",
      "\\",
      "\\*",
      "\\ ",
      " ",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "[ab]",
      "[!a]",
      "[^b-z]",
      "[z-a]",
      "[]x]",
      "[[:alpha:]]",
      "[[:foo:]]",
      "[a",
      "[a-]",
      "[\\]]",
      "[[:alpha]",
      "[!-~]",
      "[/]",
      "[x-\\z]",
    ),
  },
);
const pattern = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "/", "!/", "#", "**/"),
    fc.array(piece, { maxLength: 4 }),
    fc.constantFrom("", "", "", "/", " ", "/**", "\r"),
  )
  .map(([before, pieces, behind]) => before + pieces.join("") + behind);
const ruleText = fc
  .tuple(fc.constantFrom("", "", "", "\ufeff"), fc.array(pattern, { maxLength: 6 }), fc.constantFrom("", "\n"))
  .map(([mark, lines, end]) => mark + lines.join("\n") + end);
const tree = fc.record({
  files: fc.array(path, { maxLength: 12 }),
  rules: fc.dictionary(fc.oneof(fc.constant(""), fc.constant(""), path), ruleText, { minKeys: 1, maxKeys: 4 }),
});

test("generated trees and patterns: what git ignores is ignored, and nothing else", async () => {
  let ignored = 0;
  await fc.assert(
    fc.asyncProperty(tree, async (one) => {
      ignored += (await compare(one)).length;
    }),
    { numRuns: runs(5000, 120) },
  );
  assert.ok(ignored > 50, `the trees have something to ignore: ${ignored}`);
});

test("what projects write", async () => {
  const files = [
    "node_modules/a/index.js",
    "src/node_modules/b.js",
    "build/out.o",
    "src/build/x.ts",
    "logs/keep.log",
    "logs/other.log",
    "docs/a/b/c.pdf",
    "docs/c.pdf",
    "target",
    "lib/target/x",
    "a/.cache/x",
    "a/.cache/deep/y",
    "é.txt",
    "ö/ö.txt",
  ];
  const rules = {
    "": "# comment\nnode_modules/\n/build\n*.log\n!keep.log\ndocs/**/*.pdf\ntarget/\n?.txt\n\\#x\nfoo**/bar\n",
    "a/.cache": "*\n",
    ö: "!ö.txt\nö.*",
  };
  const gits = await compare({
    files,
    rules,
    links: [
      ["lib/build", "target"],
      ["linked", "node_modules"],
    ],
  });
  for (const path of ["node_modules/a/index.js", "build/out.o", "logs/other.log", "docs/c.pdf", "a/.cache/deep/y"])
    assert.ok(gits.includes(path), path);
  for (const path of ["src/build/x.ts", "logs/keep.log", "target", "é.txt", "linked"])
    assert.ok(!gits.includes(path), path);
});

test("a .gitignore that is a link says nothing, as in git", async () => {
  const gits = await compare({ files: ["x/a", "rules"], rules: { x: "a\n" }, links: [[".gitignore", "x/.gitignore"]] });
  assert.deepEqual(gits, ["x/a"]);
  assert.deepEqual(await compare({ files: ["a"], rules: { x: "a\n" }, links: [[".gitignore", "x/.gitignore"]] }), []);
});

test("hostile patterns end: the time is bounded, and what is beyond is not ignored", async () => {
  const files = createMemoryWorkspace();
  const text = `${"*a?".repeat(40)}x\n`.repeat(1_000) + `${"**/".repeat(1_000)}x\n`.repeat(20);
  const names = Array.from({ length: 2_000 }, (_, index) => `${"a".repeat(200)}${index}`);
  valueOf(await files.apply([write(".gitignore", `last\n${text}`), ...names.map((path) => write(path, ""))]));
  const started = performance.now();
  const ignored = new IgnoredFiles(files);
  assert.equal(await ignored.has(pathOf("last")), true, "control: it reads the file");
  for (const path of names) assert.equal(await ignored.has(pathOf(path)), false);
  assert.ok(performance.now() - started < 30_000, "minutes without a bound");
  assert.equal(await ignored.has(pathOf("last")), false, "no steps are left");
});

test("a .gitignore that is too large is not read", async () => {
  const files = createMemoryWorkspace();
  const line = "a\n";
  const most = line.repeat(limits.ignoreFileBytes / line.length);
  valueOf(await files.apply([write("x/.gitignore", most), write("y/.gitignore", `${most}#`)]));
  const ignored = new IgnoredFiles(files);
  assert.equal(await ignored.has(pathOf("x/a")), true);
  assert.equal(await ignored.has(pathOf("y/a")), false);
  assert.equal(await ignored.hasDirectory(pathOf("x/a")), true);
  assert.equal(await ignored.hasDirectory(pathOf("x")), false);
});
