import assert from "node:assert/strict";
import { join, normalize } from "node:path/posix";
import { test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { isGitDirectoryName } from "../../src/shared/git-name.ts";
import {
  byteLength,
  parentsOf,
  parseWorkspaceDirectory,
  parseWorkspacePath,
  rootPath,
  spellWorkspacePath,
} from "../../src/workspace/path.ts";
import { pathOf, refusalOf, valueOf } from "../contracts/workspace.ts";
import { runs } from "../fixtures/runs.ts";

test("what passes, and how it is written", () => {
  const cases: [text: string, path: string][] = [
    ["a", "a"],
    ["./a//b/./c", "a/b/c"],
    ["/workspace/a", "a"],
    ["/workspace//a/", "a"],
    ["workspace/a", "workspace/a"],
    [".gitignore", ".gitignore"],
    [".github/workflows/x.yml", ".github/workflows/x.yml"],
    [".gitmodules", ".gitmodules"],
    ["git", "git"],
    ["a.git", "a.git"],
    ["a b/ü 日本/😀.txt", "a b/ü 日本/😀.txt"],
    ["...", "..."],
    ["..a/a..", "..a/a.."],
    ["-rf", "-rf"],
    ["~/x", "~/x"],
    ["*?[x]", "*?[x]"],
    ["e\u0301", "e\u0301"],
    [".gît", ".gît"],
    ["x".repeat(255), "x".repeat(255)],
    [Array(64).fill("d").join("/"), Array(64).fill("d").join("/")],
  ];
  for (const [text, path] of cases) {
    assert.equal(valueOf(parseWorkspacePath(text)), path);
    assert.equal(valueOf(parseWorkspacePath(spellWorkspacePath(pathOf(text)))), path);
  }
  assert.equal(spellWorkspacePath(pathOf("a/b")), "/workspace/a/b");
  assert.equal(spellWorkspacePath(rootPath), "/workspace");
  assert.deepEqual([...parentsOf(pathOf("a/b/c"))], ["a", "a/b"]);
});

test("what does not, and why", () => {
  const cases: [text: string, reason: RegExp][] = [
    ["", /the workspace itself/],
    [".", /the workspace itself/],
    ["/workspace", /the workspace itself/],
    ["/workspace/", /the workspace itself/],
    ["/", /not below \/workspace/],
    ["/etc/passwd", /not below \/workspace/],
    ["/workspaces/a", /not below \/workspace/],
    ["//workspace/a", /not below \/workspace/],
    ["..", /leads upwards/],
    ["a/../b", /leads upwards/],
    ["/workspace/../etc", /leads upwards/],
    ["a\0b", /NUL/],
    ["a\\b", /backslash/],
    ["a\nb", /control character/],
    ["a\u007fb", /control character/],
    ["a\u0085b", /control character/],
    ["\ud800", /half of a character/],
    ["x".repeat(256), /longer than 255 bytes/],
    ["é".repeat(128), /longer than 255 bytes/],
    [Array(65).fill("d").join("/"), /deeper than 64/],
    [Array(12).fill("x".repeat(200)).join("/"), /longer than 2048 bytes/],
    [".git", /\.git/],
    ["a/.git/hooks/pre-commit", /\.git/],
  ];
  for (const [text, reason] of cases) {
    const refusal = refusalOf(parseWorkspacePath(text, "source"));
    assert.match(refusal, /^invalid_args: source: /);
    assert.match(refusal, reason);
  }
  for (const text of ["", ".", "/workspace", "/workspace/"])
    assert.equal(valueOf(parseWorkspaceDirectory(text)), rootPath, JSON.stringify(text));
});

test(".git is known in every disguise, and nothing else is taken for it", () => {
  const disguised = [
    ".git .GIT .Git .gIt .git. .git::$INDEX_ALLOCATION .git:x GIT~1 git~1 git~1.".split(" "),
    [
      ".git ",
      ".git. . ",
      ".g\u200cit",
      "\ufeff.git",
      ".git\u200d",
      ".gi\u2060t",
      ".g\u00adit",
      ".\u180egit",
      ".git\u{e0001}",
    ],
    ["\uff0egit", "\u2024git", ".\uff47\uff49\uff54", ".\u24d6\u24d8\u24e3", ".\u{1d420}\u{1d422}\u{1d42d}"],
    [".g\u0131t", ".G\u0130T", ".gi\u0307t"],
  ].flat();
  for (const name of disguised) {
    assert.equal(isGitDirectoryName(name), true, JSON.stringify(name));
    assert.equal(parseWorkspacePath(`a/${name}/config`).ok, false, JSON.stringify(name));
  }
  for (const name of [
    "git",
    ".gitignore",
    ".github",
    ".git-old",
    "..git",
    "a.git",
    ".gît",
    "git~2",
    "git~10",
    ".g",
    ".gitt",
  ])
    assert.equal(isGitDirectoryName(name), false, name);
});

test("whatever passes stays below a directory it is joined to, and passes again as itself", () => {
  const anyPart = fc.oneof(
    fc.constantFrom("..", ".", "", "a", ".git", "workspace", "\\", "\0", "/", "~", "…", "．．"),
    fc.string({ unit: "binary", maxLength: 4 }),
  );
  const anyText = fc
    .tuple(fc.constantFrom("", "/", "/workspace/", "/workspace", "./"), fc.array(anyPart, { maxLength: 5 }))
    .map(([start, parts]) => start + parts.join("/"));
  let passed = 0;
  fc.assert(
    fc.property(anyText, (text) => {
      const path = parseWorkspacePath(text);
      if (!path.ok) return;
      passed += 1;
      assert.equal(normalize(join("/root/dir", path.value)), `/root/dir/${path.value}`);
      assert.equal(valueOf(parseWorkspacePath(path.value)), path.value);
      assert.ok(!path.value.split("/").some((part) => part === "" || part === "." || part === ".."));
    }),
    { numRuns: runs(5_000) },
  );
  assert.ok(passed > 100);
});

test("lengths are counted in UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      assert.equal(byteLength(text), Buffer.byteLength(text));
    }),
  );
});
