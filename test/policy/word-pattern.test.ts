import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { Word } from "../../src/action/effect.ts";
import {
  escapeWord,
  matchesWord,
  matchesWords,
  parseWordPattern,
  type WordPattern,
} from "../../src/policy/word-pattern.ts";
import { runs } from "../fixtures/runs.ts";

function parsed(text: string): WordPattern {
  const result = parseWordPattern(text);
  assert.ok(result.ok, text);
  return result.value;
}

const words: readonly (readonly [pattern: string, word: string, matches: boolean])[] = [
  ["push", "push", true],
  ["push", "pushx", false],
  ["push", "", false],
  ["", "", true],
  ["*", "", true],
  ["*", "anything at all", true],
  ["-*", "--force", true],
  ["-*", "push", false],
  ["a*b*c", "abc", true],
  ["a*b*c", "aXbXbc", true],
  ["a*b*c", "acb", false],
  ["aa*aa", "aaa", false],
  ["aa*aa", "aaaa", true],
  ["*.ts", "a.ts", true],
  ["*.ts", "a.tsx", false],
  ["\\*", "*", true],
  ["\\*", "x", false],
  ["a\\\\b", "a\\b", true],
  ["?", "x", false],
  ["[ab]", "a", false],
  ["a**", "abc", true],
];

for (const [pattern, word, matches] of words) {
  test(`${JSON.stringify(pattern)} ${matches ? "is" : "is not"} about ${JSON.stringify(word)}`, () =>
    assert.equal(matchesWord(parsed(pattern), word), matches));
}

test("a lone backslash at the end is no pattern", () => {
  const result = parseWordPattern("a\\");
  assert.ok(!result.ok && /lone/.test(result.failure.message));
});

const lines: readonly (readonly [patterns: string[], words: Word[], surely: boolean, possibly: boolean])[] = [
  [["git", "push"], ["git", "push"], true, true],
  [["git", "push"], ["git", "push", "-f"], false, false],
  [["git", "push", "**"], ["git", "push"], true, true],
  [["git", "push", "**"], ["git", "push", "a", "b"], true, true],
  [["git", "**", "-f"], ["git", "push", "-f"], true, true],
  [["git", "**", "-f"], ["git", "push", "-f", "x"], false, false],
  [["**"], [], true, true],
  [["git"], [], false, false],
  [["git", "*"], ["git", null], false, true],
  [["git", "**"], ["git", null], true, true],
  [["git", "**", "push"], ["git", null, "push"], true, true],
  [["git", "push"], [null], false, true],
  [["git", "push"], ["git", null, "push"], false, true],
  [["git"], ["git", null], false, true],
  [["git", "a", "b"], ["git", null, "b"], false, true],
  [["git", "a"], ["git", null, "b"], false, false],
  [["git", "**", "a"], ["git", null, "b"], false, false],
];

for (const [patterns, line, surely, possibly] of lines) {
  test(`[${patterns.join(", ")}] and [${line.map((word) => word ?? "?").join(", ")}]`, () => {
    assert.equal(matchesWords(patterns.map(parsed), line, "surely"), surely);
    assert.equal(matchesWords(patterns.map(parsed), line, "possibly"), possibly);
  });
}

const somePattern = fc.constantFrom("a", "b", "*", "**", "a*");
const someWord = fc.constantFrom("a", "b", "ab");
const withUnknown = fc.array(fc.option(someWord), { maxLength: 5 });

test("surely is for whatever an unknown word turns out to be, possibly for one of them", () => {
  const turned = fc.array(fc.array(someWord, { maxLength: 2 }), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(somePattern, { maxLength: 4 }), withUnknown, turned, (texts, line, values) => {
      const patterns = texts.map(parsed);
      const known = line.flatMap((word, index) => (word === null ? (values[index] as string[]) : [word]));
      const matches = matchesWords(patterns, known, "surely");
      assert.equal(matches, matchesWords(patterns, known, "possibly"));
      if (matchesWords(patterns, line, "surely")) assert.ok(matches);
      if (matches) assert.ok(matchesWords(patterns, line, "possibly"));
    }),
    { numRuns: runs(2_000) },
  );
});

test("an escaped word is about that word alone", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (word, other) => {
      const pattern = parsed(escapeWord(word));
      assert.ok(matchesWord(pattern, word));
      assert.equal(matchesWord(pattern, other), word === other);
    }),
  );
});

test("matching takes no longer than the text times the pattern", () => {
  assert.equal(matchesWord(parsed(`${"a*".repeat(2_000)}b`), "a".repeat(100_000)), false);
  const many = Array.from({ length: 200 }, () => parsed("**"));
  assert.equal(
    matchesWords(
      [...many, parsed("x")],
      Array.from({ length: 1_000 }, () => "a"),
      "surely",
    ),
    false,
  );
});
