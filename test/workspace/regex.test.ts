import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { requiredText } from "../../src/workspace/regex-literal.ts";
import { parseRegex } from "../../src/workspace/regex-parse.ts";
import { createLineMatcher } from "../../src/workspace/regex.ts";
import { runs } from "../fixtures/runs.ts";

const never = () => false;

function linesFound(pattern: string, text: string): string[] {
  const matcher = createLineMatcher(pattern);
  assert.ok(matcher.ok, matcher.ok ? "" : matcher.failure.message);
  const found: string[] = [];
  for (let from = 0; from <= text.length;) {
    const line = matcher.value.next(text, from, never);
    if (line === undefined) break;
    assert.ok(line !== "late");
    found.push(text.slice(line.start, line.end));
    assert.ok(line.matchEnd >= line.start && line.matchEnd <= text.length);
    const feed = text.indexOf("\n", line.end);
    if (feed < 0) break;
    from = feed + 1;
  }
  return found;
}

const refusalOf = (pattern: string): string => {
  const matcher = createLineMatcher(pattern);
  assert.ok(!matcher.ok, `${pattern} was taken`);
  assert.equal(matcher.failure.error, "invalid_args");
  assert.match(matcher.failure.message, /^pattern: /);
  return matcher.failure.message;
};

const character = fc.constantFrom("a", "b", "c", "_", " ", "-", "é", "ß", "Ω", "😀", "1", ".", "A", "B");
const escaped = fc.constantFrom(
  "\\d",
  "\\w",
  "\\s",
  "\\D",
  "\\W",
  "\\S",
  "\\.",
  "\\p{L}",
  "\\u{1f600}",
  "\\x61",
  "\\t",
);
const oneOf = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.oneof(fc.constantFrom("a", "b-d", "A-Z", "é", "😀", "_"), escaped), { maxLength: 3 }),
  )
  .map(([negated, members]) => `[${negated ? "^" : ""}${members.join("")}]`);
const atom = fc.oneof(
  character.map((text) => (text === "." ? "\\." : text)),
  fc.constantFrom(".", "a", "b"),
  escaped,
  oneOf,
);
const count = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "{0}");
const { pattern: anyPattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 2, depthIdentifier: "regex" },
    fc.tuple(atom, count).map(([one, times]) => one + times),
    fc.constantFrom("^", "$", "\\b", "\\B"),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?<name>"), tie("pattern"), count)
      .map(([open, inner, times]) => `${open}${inner})${times}`),
  ),
  pattern: fc
    .array(
      fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
      { minLength: 1, maxLength: 3 },
    )
    .map((choices) => choices.join("|")),
}));
const anyLine = fc.array(character, { maxLength: 6 }).map((characters) => characters.join(""));

test("the same lines match as with JavaScript's own RegExp", () => {
  fc.assert(
    fc.property(
      anyPattern,
      fc.array(anyLine, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      (raw, drawn, ignoreCase) => {
        // V8 finds \\B between the two halves of a character, where there is no place.
        const lines = raw.includes("\\B") ? drawn.map((line) => line.replaceAll("😀", "")) : drawn;
        // A name may stand for one group only in JavaScript; here it says nothing.
        const source = raw.replaceAll("(?<name>", "(?:");
        if (source === "") return;
        const own = new RegExp(source, ignoreCase ? "usi" : "us");
        const text = lines.join("\n");
        const expected = (text.endsWith("\n") ? lines.slice(0, -1) : text === "" ? [] : lines).filter((line) =>
          own.test(line),
        );
        assert.deepEqual(linesFound(ignoreCase ? `(?i)${raw}` : raw === "" ? source : raw, text), expected);
      },
    ),
    { numRuns: runs(2_000) },
  );
});

test("line ends: LF, CR LF, none at the end, empty lines", () => {
  assert.deepEqual(linesFound("b$", "ab\r\nab\nb\rc\nab"), ["ab", "ab", "ab"]);
  assert.deepEqual(linesFound("[b]$", "b\rc\nab\r\nab"), ["ab", "ab"]);
  assert.deepEqual(linesFound("^$", "a\n\nb\n"), [""]);
  assert.deepEqual(linesFound("^$", ""), []);
  assert.deepEqual(linesFound(".", "\n\r\n\n"), []);
  assert.deepEqual(linesFound("a.b", "a\nb\naxb"), ["axb"]);
});

test("what people write: signs after a backslash, braces that count nothing, dashes in classes", () => {
  const cases: [pattern: string, line: string][] = [
    ["\\<div\\>\\/\\-\\\"\\'\\ \\#\\@", "<div>/-\"' #@"],
    ["function f() {".replace("()", "\\(\\)"), "function f() {"],
    ["a{b}", "a{b}"],
    ["a{,3}", "a{,3}"],
    ["]}", "]}"],
    ["^[\\w-.]+$", "a-b.c"],
    ["^[-a]+$", "-a-"],
    ["^[a-]+$", "-a-"],
    ["^[+-\\d]+$", "+-1"],
    ['^[\\"\\-]+$', '"-'],
    ["(?P<year>\\d{4})-(?<month>\\d\\d)", "on 2024-05"],
    ["(?i)straße", "STRAßE"],
    ["x{0}^a", "a"],
  ];
  for (const [pattern, line] of cases) assert.deepEqual(linesFound(pattern, line), [line], pattern);
  assert.deepEqual(linesFound("[]", "a"), []);
  assert.deepEqual(linesFound("[^]", "a"), ["a"]);
});

test("what is not supported is refused, and named", () => {
  const cases: [pattern: string, reason: RegExp][] = [
    ["", /is empty/],
    ["a".repeat(1_001), /longer than 1000/],
    ["(a)\\1", /refers back/],
    ["(?<n>a)\\k<n>", /refers back/],
    ["(?=a)", /looks ahead or behind/],
    ["(?<!a)b", /looks ahead or behind/],
    ["a(?i)b", /flags/],
    ["(?m)a", /flags/],
    ["(?>a)", /kind of group/],
    ["(a", /does not close/],
    ["a)", /not opened/],
    ["[a", /does not close/],
    ["[[:alpha:]]", /\[:alpha:\]/],
    ["*a", /nothing before it/],
    ["a**", /repeats a repeat/],
    ["a++", /repeats a repeat/],
    ["^*", /no length/],
    ["a{2,1}", /from more to less/],
    ["a{1001}", /further than 1000/],
    ["((a{100}){100}){100}", /too large/],
    ["a\\", /ends with a backslash/],
    ["\\p{Nothing}", /not a character/],
    ["\\Aa", /not a character/],
    ["[z-a]", /not a character/],
    ["a\\nb", /one line at a time/],
    ["a\nb", /one line at a time/],
    ["\ud800", /half of a character/],
    ["(".repeat(200) + ")".repeat(200), /100 deep/],
  ];
  for (const [pattern, reason] of cases) assert.match(refusalOf(pattern), reason, pattern);
});

test("patterns that are catastrophic elsewhere take no longer here", () => {
  // The control: a backtracking machine doubles its work with every character of this.
  const steps = (length: number) => {
    let count = 0;
    const matcher = createLineMatcher("^(a|a)*(a|a)*(a+)+$");
    assert.ok(matcher.ok);
    const found = matcher.value.next(`${"a".repeat(length)}!`, 0, () => {
      count += 1;
      return count > 1_000;
    });
    assert.equal(found, undefined);
    return count;
  };
  assert.ok(steps(1_000_000) <= 20 + 1_000_000 / 65_536);
});

test("a machine with more states than are kept goes on, and stops when its time is up", () => {
  const pattern = "a[ab]{12}c";
  let seed = 7;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const text = Array.from({ length: 60_000 }, () => (random() < 0.5 ? "a" : "b")).join("");
  assert.deepEqual(linesFound(pattern, text), []);
  const hit = `${text}a${"b".repeat(12)}c`;
  assert.deepEqual(linesFound(pattern, hit), [hit]);
  const matcher = createLineMatcher(pattern);
  assert.ok(matcher.ok);
  let asked = 0;
  assert.equal(
    matcher.value.next(text, 0, () => (asked += 1) > 10),
    "late",
  );
});

test("the text that every match must hold", () => {
  const cases: [pattern: string, text: string][] = [
    ["needle", "needle"],
    ["^\\bfoo\\(x?long\\.er$", "long.er"],
    ["a(?:bc)d", "abcd"],
    ["abc*d", "ab"],
    ["ab+", "a"],
    ["ab|cd", ""],
    ["(ab|cd)ef", "ef"],
    ["(?i)needle", ""],
    ["\\w+", ""],
  ];
  for (const [pattern, text] of cases) {
    const node = parseRegex(pattern);
    assert.ok(node.ok);
    assert.equal(requiredText(node.value), text, pattern);
  }
});
