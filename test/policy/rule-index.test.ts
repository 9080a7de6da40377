import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { matchesRule } from "../../src/policy/match.ts";
import { RuleIndex } from "../../src/policy/rule-index.ts";
import { rule, run, someEffect, someRules } from "../fixtures/rules.ts";
import { runs } from "../fixtures/runs.ts";

const ids = (rules: Iterable<{ readonly id: string }>) => [...rules].map(({ id }) => id).sort();

test("the index leaves out only what would not have matched, and gives nothing twice", () => {
  fc.assert(
    fc.property(someRules, someEffect, (rules, effect) => {
      const candidates = [...new RuleIndex(rules).candidates(effect)];
      assert.deepEqual(
        ids(candidates.filter((one) => matchesRule(one, effect))),
        ids(rules.filter((one) => matchesRule(one, effect))),
      );
      assert.equal(new Set(candidates).size, candidates.length);
    }),
    { numRuns: runs(5_000) },
  );
});

test("among rules about many programs, only those about this one are tried", () => {
  const many = Array.from({ length: 500 }, (_, index) =>
    rule({ decide: "deny", effect: "run", argv: [`tool${index}`, "**"] }),
  );
  const index = new RuleIndex([...many, rule({ decide: "deny", effect: "run", argv: ["*", "--version"] })]);
  assert.equal([...index.candidates(run(["tool7"]))].length, 2);
  assert.equal([...index.candidates(run([null], null))].length, 501);
  assert.equal([...index.candidates({ kind: "read", path: "/tool7" })].length, 0);
});

test("among rules about many paths, only those above this one are tried", () => {
  const many = Array.from({ length: 500 }, (_, index) =>
    rule({ decide: "deny", effect: "read", path: `/data/${index}` }),
  );
  const index = new RuleIndex([...many, rule({ decide: "deny", effect: "read", path: "/data/*/keys" })]);
  assert.equal([...index.candidates({ kind: "read", path: "/data/7/x" })].length, 2);
});
