import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { Action } from "../../src/action/action.ts";
import type { Effect } from "../../src/action/effect.ts";
import { createCapability, noCapability } from "../../src/policy/capability.ts";
import { defaultRunLimits } from "../../src/shared/run-limits.ts";
import { type Decision, reasonsOf, strictest } from "../../src/policy/decision.ts";
import { judge } from "../../src/policy/evaluate.ts";

const action = (...effects: Effect[]) => ({ effects }) as unknown as Action;
const capability = createCapability({
  toolGrants: ["Exec"],
  fsGrants: [
    { path: "/granted", mode: "r", hide: [".env"] },
    { path: "/job", mode: "rw", hide: [] },
  ],
  netGrants: ["granted.example", "*.below.example:*", "localhost:5432", "10.1.0.0/16:443"],
  limits: defaultRunLimits,
});

const table: readonly (readonly [Effect, Decision])[] = [
  [{ kind: "tool", tool: "Exec" }, "allow"],
  [{ kind: "tool", tool: "exec" }, "deny"],
  [{ kind: "tool", tool: "" }, "deny"],
  [{ kind: "run", program: "/granted/tool", argv: [], at: "start" }, "allow"],
  [{ kind: "run", program: "/granted/.env", argv: [], at: "start" }, "deny"],
  [{ kind: "run", program: "/bin/ls", argv: [], at: "start" }, "ask"],
  [{ kind: "read", path: "/granted" }, "allow"],
  [{ kind: "read", path: "/granted/../etc/shadow" }, "ask"],
  [{ kind: "read", path: "/granted-not" }, "ask"],
  [{ kind: "read", path: "granted" }, "ask"],
  [{ kind: "write", path: "/granted/x" }, "ask"],
  [{ kind: "write", path: "/job/x" }, "allow"],
  [{ kind: "network", host: "*" }, "ask"],
  [{ kind: "network", host: "granted.example:443" }, "allow"],
  [{ kind: "network", host: "GRANTED.example.:443" }, "allow"],
  [{ kind: "network", host: "granted.example" }, "ask"],
  [{ kind: "network", host: "granted.example:80" }, "ask"],
  [{ kind: "network", host: "a.below.example" }, "allow"],
  [{ kind: "network", host: "127.0.0.1:5432" }, "allow"],
  [{ kind: "network", host: "localhost:5433" }, "ask"],
  [{ kind: "network", host: "[::ffff:10.1.2.3]:443" }, "allow"],
  [{ kind: "network", host: "10.2.0.1:443" }, "ask"],
];

for (const [effect, decision] of table) {
  test(`${JSON.stringify(effect)}: ${decision}`, () => {
    const verdict = judge(action(effect), capability);
    assert.equal(verdict.decision, decision);
    assert.equal(verdict.findings.length, 1);
    assert.notEqual(reasonsOf(verdict)[0], "");
  });
}

const effects = fc.array(fc.constantFrom(...table.map(([effect]) => effect)), { minLength: 1, maxLength: 6 });

test("an action takes the strictest of its effects, and one more effect never makes it milder", () => {
  fc.assert(
    fc.property(effects, fc.constantFrom(...table.map(([effect]) => effect)), (some, more) => {
      const before = judge(action(...some), capability).decision;
      assert.equal(before, strictest(some.map((effect) => judge(action(effect), capability).decision)));
      assert.equal(
        strictest([before, judge(action(...some, more), capability).decision]),
        judge(action(...some, more), capability).decision,
      );
    }),
  );
});

test("without a capability everything is denied, and with an empty one nothing is allowed", () => {
  fc.assert(
    fc.property(effects, (some) => {
      assert.equal(judge(action(...some), undefined).decision, "deny");
      assert.notEqual(judge(action(...some), noCapability).decision, "allow");
    }),
  );
});

test("no effects, an unknown effect, and an error while judging are denied", () => {
  assert.equal(judge(action(), capability).decision, "deny");
  assert.equal(judge(action({ kind: "levitate" } as never), capability).decision, "deny");
  const throwing = {
    kind: "read",
    get path(): string {
      throw new Error("broken");
    },
  } as Effect;
  const verdict = judge(action({ kind: "tool", tool: "Exec" }, throwing), capability);
  assert.equal(verdict.decision, "deny");
  assert.match(verdict.findings[1]?.because ?? "", /could not be judged.*broken/);
});
