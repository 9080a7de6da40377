import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { type Glob, globBelow, matchesGlob, parseGlob, wildcardCovers } from "../../src/shared/glob.ts";
import { matchesWildcard } from "../../src/shared/name-pattern.ts";
import { runs } from "../fixtures/runs.ts";

function glob(pattern: string): Glob {
  const parsed = parseGlob(pattern);
  assert.ok(parsed.ok, `${pattern} should be a pattern`);
  return parsed.value;
}

describe("matchesGlob", () => {
  const table: readonly (readonly [pattern: string, matching: readonly string[], others: readonly string[]])[] = [
    [".env*", [".env", ".env.local", "a/.env", "a/b/.envrc"], ["env", "a.env", ".ENV", ".env/x", ".e"]],
    ["*.pem", [".pem", "a.pem", "x/y/a.pem"], ["a.pem.txt", "pem", "a.pem/x"]],
    ["*", ["a", ".a", "a/b"], []],
    ["**", ["a", ".a", "a/b"], []],
    ["build/", ["build", "a/build"], ["building"]],
    ["/build", ["build"], ["a/build", "build/x"]],
    ["a/b", ["a/b"], ["b", "x/a/b", "a/b/c", "a", "a/bc"]],
    ["a/*", ["a/b", "a/.b"], ["a", "a/b/c", "b"]],
    ["a/**", ["a/b", "a/b/c", "a/.b"], ["a", "ab", "b/a"]],
    ["**/a", ["a", "x/a", "x/y/a"], ["xa", "a/x"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b", "a/b/b"], ["ab", "a/xb", "x/a/b", "a/b/x"]],
    ["a/**/**/b", ["a/b", "a/x/b"], ["a"]],
    ["a**b", ["ab", "axxb"], ["a/b"]],
    ["?.txt", ["a.txt", "😀.txt", "..txt"], [".txt", "ab.txt"]],
    ["[a-c]x", ["ax", "bx"], ["dx", "x", "-x"]],
    ["[!a-c]x", ["dx", ".x"], ["ax", "x"]],
    ["[^a]x", ["bx"], ["ax"]],
    ["[]a]x", ["]x", "ax"], ["bx"]],
    ["[a-]x", ["-x", "ax"], ["bx"]],
    ["[\\]\\-]x", ["]x", "-x"], ["\\x"]],
    ["\\*x", ["*x"], ["ax", "\\*x"]],
    ["\\!x", ["!x"], ["x"]],
    ["größe", ["größe"], ["grösse"]],
  ];
  for (const [pattern, matching, others] of table) {
    it(pattern, () => {
      for (const path of matching) assert.ok(matchesGlob(glob(pattern), path), `${pattern} should match ${path}`);
      for (const path of others) assert.ok(!matchesGlob(glob(pattern), path), `${pattern} should not match ${path}`);
    });
  }

  it("refuses what it would not understand", () => {
    for (const pattern of [
      "",
      "/",
      "//",
      "a//b",
      "../a",
      "a/./b",
      "[ab",
      "a\\",
      "[a/b]",
      "[[:alpha:]]",
      "[[.a.]]",
      "[z-a]",
      "[a-\\",
    ]) {
      assert.equal(parseGlob(pattern).ok, false, pattern);
    }
  });

  it("agrees with bash about names", () => {
    const characters = ["a", "b", "c", "-", "]", "[", "!", "^", "*", "?", "\\", "é"];
    const patterns = fc
      .sample(fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 7 }), 4_000)
      .filter((pattern) => parseGlob(pattern).ok);
    const names = ["a", "b", "ab", "abc", "-", "]", "a]", "[", "a-", "é", "aé", "!", "^a", "\\", "\\a", "*", "bb-a]"];
    assert.ok(patterns.length > 1_000);
    const script =
      'while IFS= read -r p; do line=; for n in "$@"; do [[ $n == $p ]] && line+=1 || line+=0; done; printf "%s\\n" "$line"; done';
    const out = execFileSync("/bin/bash", ["--noprofile", "--norc", "-c", script, "bash", ...names], {
      input: `${patterns.join("\n")}\n`,
      env: { LC_ALL: "C.UTF-8" },
      encoding: "utf8",
    });
    const answers = out.split("\n");
    for (const [index, pattern] of patterns.entries()) {
      const ours = names.map((name) => (matchesGlob(glob(pattern), name) ? "1" : "0")).join("");
      assert.equal(ours, answers[index], `${pattern} on ${names.join(" ")}`);
    }
  });

  it("does not slow down on patterns made for it", () => {
    const steps = glob(`${"*a".repeat(50)}*b`);
    const deep = glob(`${"**/a/".repeat(40)}b`);
    // With backtracking over every star these two would not end in this century.
    assert.equal(matchesGlob(steps, "a".repeat(4_000)), false);
    assert.equal(matchesGlob(deep, Array(1_000).fill("a").join("/")), false);
  });
});

const name = fc.constantFrom("a", "b", ".env", "ab");
const path = fc.array(name, { minLength: 1, maxLength: 5 });
const part = fc.constantFrom("a", "b", "*", "**", ".e*", "?", "[ab]");
const pattern = fc
  .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 4 }))
  .map(([slash, parts]) => `${slash ? "/" : ""}${parts.join("/")}`);

describe("globBelow", () => {
  it("is what is left of the pattern below a directory", () => {
    fc.assert(
      fc.property(pattern, path, path, (text, directory, rest) => {
        const whole = glob(text);
        const matchedAbove = directory.some((_, index) => matchesGlob(whole, directory.slice(0, index + 1).join("/")));
        const below = globBelow(whole, directory);
        assert.equal(below === "matched", matchedAbove);
        if (below === "matched") return;
        const left = below.some((pattern) => matchesGlob(glob(pattern), rest.join("/")));
        assert.equal(left, matchesGlob(whole, [...directory, ...rest].join("/")));
      }),
      { numRuns: runs(5_000) },
    );
  });
});

describe("wildcards", () => {
  it("know the star and nothing else", () => {
    const table: readonly (readonly [string, string, boolean])[] = [
      ["git_*", "git_push", true],
      ["git_*", "git_", true],
      ["git_*", "Git_push", false],
      ["*_file", "read_file", true],
      ["*_file", "read_files", false],
      ["*", "", true],
      ["Exec", "Exec", true],
      ["Exec", "Execute", false],
      ["Ex?c", "Exec", false],
      ["a*b*c", "a--b--c", true],
      ["", "x", false],
    ];
    for (const [pattern, text, expected] of table)
      assert.equal(matchesWildcard(pattern, text), expected, `${pattern} ${text}`);
  });

  it("cover each other exactly when every text of one is a text of the other", () => {
    const short = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 5 });
    // `c` stands for every character that no pattern names. A text as long as the pattern tells the two apart.
    const texts = [""];
    for (const text of texts) if (text.length < 5) for (const next of "abc") texts.push(text + next);
    fc.assert(
      fc.property(short, short, (wider, narrower) => {
        const covered = texts.every((text) => !matchesWildcard(narrower, text) || matchesWildcard(wider, text));
        assert.equal(wildcardCovers(wider, narrower), covered, `${narrower} within ${wider}`);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
