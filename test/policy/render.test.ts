import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { parse } from "yaml";
import type { Effect } from "../../src/action/effect.ts";
import { matchesRule } from "../../src/policy/match.ts";
import { exactRule, renderRule } from "../../src/policy/render.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { rule, someEffect, someText } from "../fixtures/rules.ts";
import { runs } from "../fixtures/runs.ts";

test("a rendered rule is one line of YAML that means the same rule", () => {
  fc.assert(
    fc.property(someText, fc.string({ unit: "binary", minLength: 1 }), (text, because) => {
      for (const whole of [text, { ...text, because }]) {
        const line = renderRule(whole);
        assert.doesNotMatch(line, /[\n\r]/);
        assert.deepEqual(parse(line), whole);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test("words that YAML would read as something else stay words", () => {
  const argv = [
    "true",
    "no",
    "1",
    "0x1f",
    "1e3",
    "~",
    "null",
    "a: b",
    "#",
    "- x",
    "*",
    "&a",
    "!b",
    "%",
    "@x",
    "`",
    "'",
    '"',
    "",
    " ",
    "{",
    "]",
    ",",
    "2026-01-31",
    "=",
    "<<",
    ".inf",
  ];
  const text: RuleText = { decide: "ask", effect: "run", argv };
  assert.deepEqual(parse(renderRule(text)), text);
});

const strange = fc.string({ unit: "grapheme", maxLength: 6 }).filter((word) => !word.includes("\0"));
const argv = fc
  .tuple(fc.constantFrom("git", "a*b", "x\\y"), fc.array(strange, { maxLength: 4 }))
  .map(([first, rest]) => [first, ...rest]);
const names = fc.array(
  strange.filter((name) => !/[/]/.test(name) && !["", ".", ".."].includes(name)),
  { minLength: 1, maxLength: 4 },
);

test("the exact rule of an effect is about it", () => {
  fc.assert(
    fc.property(someEffect, (effect) => {
      for (const decide of ["allow", "deny"] as const) {
        const text = exactRule(decide, effect);
        if (text !== null) assert.ok(matchesRule(rule(text), effect), renderRule(text));
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test("the exact yes to a command is about no other command", () => {
  fc.assert(
    fc.property(argv, fc.nat(), strange, (words, at, other) => {
      const of = (kind: string, all: readonly string[]) =>
        ({ kind, argv: all, program: `/usr/bin/${words[0]}`, at: "start", what: "files" }) as Effect;
      const index = at % words.length;
      const changed = [
        words.with(index, `${words[index]}${other}x`),
        words.toSpliced(index + 1, 0, other),
        ...(words.length > 1 ? [words.toSpliced(Math.max(1, index), 1)] : []),
      ];
      for (const kind of ["run", "privilege", "interactive", "destroy"]) {
        const exact = rule(exactRule("allow", of(kind, words)) as RuleText);
        assert.ok(matchesRule(exact, of(kind, words)));
        for (const others of changed) assert.equal(matchesRule(exact, of(kind, others)), false, JSON.stringify(others));
      }
    }),
  );
});

test("the exact yes to a program is about no other file of that name", () => {
  const effect: Effect = { kind: "run", program: "/opt/x/tool", argv: ["tool", "go"], at: "start" };
  const exact = rule(exactRule("allow", effect) as RuleText);
  assert.ok(matchesRule(exact, { ...effect, argv: ["/opt/x/tool", "go"] }));
  for (const program of ["/opt/y/tool", "/usr/bin/tool", "tool", null])
    assert.equal(matchesRule(exact, { ...effect, program }), false);
});

test("the exact yes to a path is about it and what lies below, and no other path", () => {
  fc.assert(
    fc.property(names, fc.nat(), strange, (parts, at, other) => {
      const path = `/${parts.join("/")}`;
      const exact = rule(exactRule("allow", { kind: "read", path }) as RuleText);
      const changed = parts.with(at % parts.length, `${parts[at % parts.length]}${other.replaceAll("/", "")}x`);
      assert.ok(matchesRule(exact, { kind: "read", path: `${path}/below` }));
      assert.equal(matchesRule(exact, { kind: "read", path: `/${changed.join("/")}` }), false);
      assert.equal(matchesRule(exact, { kind: "write", path }), false);
      if (parts.length > 1)
        assert.equal(matchesRule(exact, { kind: "read", path: `/${parts.slice(0, -1).join("/")}` }), false);
    }),
  );
});

test("where nobody knows all of it, there is no exact rule", () => {
  for (const effect of [
    { kind: "run", program: "/usr/bin/git", argv: ["git", null], at: "start" },
    { kind: "run", program: null, argv: ["git"], at: "inside" },
    { kind: "run", program: "git", argv: ["git"], at: "inside" },
    { kind: "destroy", what: "files", argv: [] },
    { kind: "destroy", what: "files", argv: ["./rm", "x"] },
    { kind: "push", target: "origin", branch: null, by: "tool" },
  ] as Effect[])
    assert.equal(exactRule("allow", effect), null, JSON.stringify(effect));
});
