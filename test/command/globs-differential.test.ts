// For generated patterns over a real tree, bash with globstar gives the same words in the same order.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { expandGlobs, type ListDirectory } from "../../src/command/words/globs.ts";
import { scanCommand } from "../../src/command/words/scan.ts";

// Where `**` meets a link to a directory, bash answers by the shape of what follows; here it is never walked. So: one
// tree without such links for all patterns, and one with them for patterns without `**`.
function makeTree(withLinks: boolean): string {
  const root = mkdtempSync(join(tmpdir(), "sallyport-globs-"));
  after(() => rmSync(root, { recursive: true }));
  for (const directory of ["src/lib/deep", "src/.hidden", "docs", "a b", "é"])
    mkdirSync(join(root, directory), { recursive: true });
  for (const file of [
    "a.py",
    "b.ts",
    "src/m.py",
    "src/lib/n.py",
    "src/lib/deep/o.py",
    "src/.hidden/p.py",
    "docs/[x].md",
    "docs/y.md",
    "a b/c d.txt",
    "é/ü.py",
    ".dot",
    "-delete",
    "x1",
    "x2",
    "X3",
    "{a,b}",
  ])
    writeFileSync(join(root, file), "");
  if (withLinks) symlinkSync("src", join(root, "link"));
  symlinkSync("nowhere", join(root, "broken"));
  return root;
}

const listIn =
  (root: string): ListDirectory =>
  (path) => {
    try {
      return readdirSync(resolve(root, path), { withFileTypes: true }).map((entry) => {
        const isLink =
          entry.isSymbolicLink() &&
          statSync(resolve(root, path, entry.name), { throwIfNoEntry: false })?.isDirectory() === true;
        return { name: entry.name, kind: entry.isDirectory() ? "directory" : isLink ? "link" : "file" };
      });
    } catch {
      return null;
    }
  };

function bashWords(root: string, commands: readonly string[]): string[][] {
  const script = `shopt -s globstar\nshow() { printf '%s\\0' "$@"; printf '\\1\\0'; }\n${commands.map((command) => `show ${command}\n`).join("")}`;
  const { stdout } = spawnSync("/bin/bash", ["--noprofile", "--norc", "-s"], {
    input: script,
    cwd: root,
    encoding: "utf8",
    env: { PATH: "", LC_ALL: "C.UTF-8" },
  });
  const lists: string[][] = [[]];
  for (const word of stdout.split("\0").slice(0, -1)) {
    if (word === "\u0001") lists.push([]);
    else lists.at(-1)?.push(word);
  }
  return lists.slice(0, -1);
}

const piece = fc.constantFrom(
  "*",
  "**",
  "?",
  "[a-z]",
  "[!a]",
  "[^.]",
  "[[:digit:]]",
  "[]x]",
  "[",
  "]",
  "'*'",
  "\\?",
  "a",
  "b",
  "src",
  "lib",
  "x",
  ".",
  "..",
  ".py",
  "m",
  "link",
  "docs",
  "é",
  "1",
  "\\ ",
  "-",
);
const pattern = fc
  .array(
    fc.array(piece, { minLength: 0, maxLength: 3 }).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 4 },
  )
  .map((components) => components.join("/"))
  .filter((text) => /[*?[]/.test(text) && !text.startsWith("/") && !text.startsWith("~"));

for (const withLinks of [false, true]) {
  test(`bash gives the same words for 2,000 generated patterns ${withLinks ? "without ** in a tree with links" : "in a tree without links"}`, () => {
    const root = makeTree(withLinks);
    const patterns = fc
      .sample(pattern, { numRuns: 2_000, seed: 4 })
      .filter((text) => !withLinks || !text.includes("**"));
    const expected = bashWords(root, patterns);
    assert.equal(expected.length, patterns.length);
    for (const [index, text] of patterns.entries()) {
      const scanned = scanCommand(`show ${text}`);
      assert.ok(scanned.ok, text);
      const words = scanned.value.words
        .slice(1)
        .flatMap((word) => expandGlobs(word, listIn(root), 10_000) ?? ["too many"]);
      assert.deepEqual(words, expected[index], text);
    }
  });
}

test("a directory that may not be seen matches nothing, and the word stays", () => {
  const list = listIn(makeTree(false));
  const scanned = scanCommand("src/*.py");
  assert.ok(scanned.ok);
  const word = scanned.value.words[0] ?? [];
  assert.deepEqual(
    expandGlobs(word, (path) => (path.startsWith("src") ? null : list(path)), 100),
    ["src/*.py"],
  );
  assert.deepEqual(expandGlobs(word, list, 100), ["src/m.py"]);
});
