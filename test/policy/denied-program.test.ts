// Which rules are about a program whatever its arguments.

import assert from "node:assert/strict";
import test from "node:test";
import { deniedPrograms } from "../../src/policy/denied-program.ts";
import { compileRule, type RuleText } from "../../src/policy/rule.ts";

const rules: readonly (readonly [text: Partial<RuleText>, kinds: readonly string[]])[] = [
  [{ argv: ["touch", "**"] }, ["name"]],
  [{ argv: ["touch", "**", "**"] }, ["name"]],
  [{ argv: ["to*", "**"] }, ["name"]],
  [{ argv: ["/usr/bin/touch", "**"] }, ["path", "name"]],
  [{ argv: ["/opt/*", "**"] }, ["path"]],
  [{ program: "touch" }, ["name"]],
  [{ program: "/usr/bin/touch" }, ["path"]],
  [{ program: "touch", argv: ["**"] }, ["name"]],
  [{ program: "touch", argv: ["touch", "**"] }, ["name"]],
  [{ program: "touch", argv: ["t", "**"] }, []],
  [{ argv: ["touch"] }, []],
  [{ argv: ["touch", "*"] }, []],
  [{ argv: ["touch", "-c", "**"] }, []],
  [{ program: "git", argv: ["git", "push", "**"] }, []],
  // Nothing starts at all.
  [{}, []],
  [{ argv: ["**"] }, []],
  [{ argv: ["*", "**"] }, []],
  [{ program: "*" }, []],
  [{ decide: "ask", argv: ["touch", "**"] }, []],
  [{ decide: "allow", argv: ["touch", "**"] }, []],
  [{ effect: "destroy", argv: ["rm", "**"] }, []],
];
for (const [text, kinds] of rules) {
  test(`${JSON.stringify(text)} is about ${kinds.length === 0 ? "no program as such" : kinds.join(" and ")}`, () => {
    const rule = compileRule({ decide: "deny", effect: "run", ...text }, "r-1", "here");
    assert.ok(rule.ok);
    assert.deepEqual(
      deniedPrograms([rule.value]).map(({ kind }) => kind),
      kinds,
    );
  });
}
