// How a grant comes to be. That it cannot be forged is in test/attacks/t02-forged-grants.test.ts.

import assert from "node:assert/strict";
import test from "node:test";
import type { Action } from "../../src/action/action.ts";
import { approve } from "../../src/approval/approve.ts";
import type { Answer, Approver } from "../../src/approval/approver.ts";
import { Grant, grantByAnswer, grantByVerdict } from "../../src/approval/grant.ts";
import type { Decision, Verdict } from "../../src/policy/decision.ts";

const action = Object.freeze({ digest: "d1", steps: [], effects: [] }) as unknown as Action;
const verdict = (decision: Decision, kind: "read" | "network" | "run" = "read"): Verdict => ({
  decision,
  findings: [
    {
      effect: { kind, path: "/x", host: "*", program: "/x", argv: [] } as never,
      decision,
      because: "no grant covers it",
    },
  ],
});
const answers = (answer: Partial<Answer> | null, asked: string[] = []): Approver => ({
  name: "test",
  ask({ action: shown }) {
    asked.push(shown.digest);
    return Promise.resolve(
      answer === null ? null : { decision: "allow", digest: shown.digest, who: "a person", reason: null, ...answer },
    );
  },
});

test("an allow verdict, and a person's yes to this digest, give a grant for this action", () => {
  for (const grant of [
    grantByVerdict(action, verdict("allow")),
    grantByAnswer(action, { decision: "allow", digest: "d1", who: "a person", reason: null }),
  ]) {
    assert.ok(Grant.isGrant(grant));
    assert.equal(grant.action, action);
    assert.ok(Object.isFrozen(grant));
  }
});

test("allow is not asked about, deny neither", async () => {
  const asked: string[] = [];
  assert.ok((await approve(action, verdict("allow"), [answers({}, asked)], undefined)).ok);
  const denied = await approve(action, verdict("deny"), [answers({}, asked)], undefined);
  assert.ok(!denied.ok);
  assert.deepEqual(asked, []);
});

test("ask goes to the first who can answer", async () => {
  const asked: string[] = [];
  const given = await approve(
    action,
    verdict("ask"),
    [answers(null, asked), answers({}, asked), answers({ decision: "deny" }, asked)],
    undefined,
  );
  assert.ok(given.ok);
  assert.deepEqual(asked, ["d1", "d1"]);
});

test("a no says so, with its reason", async () => {
  const given = await approve(action, verdict("ask"), [answers({ decision: "deny", reason: "not today" })], undefined);
  assert.ok(!given.ok);
  assert.deepEqual([given.failure.error, given.failure.message], ["approval_denied", "not today"]);
});

test("an answer for another digest is a fault, and never a grant", async () => {
  await assert.rejects(approve(action, verdict("ask"), [answers({ digest: "d2" })], undefined), TypeError);
});

for (const [kind, slug] of [
  ["read", "fs_denied"],
  ["network", "net_denied"],
  ["run", "permission_denied"],
] as const) {
  test(`nobody to ask about ${kind}: ${slug}, with what would make it pass`, async () => {
    for (const approvers of [[], [answers(null)]]) {
      const given = await approve(action, verdict("ask", kind), approvers, undefined);
      assert.ok(!given.ok);
      assert.equal(given.failure.error, slug);
      assert.match(given.failure.hint ?? "", /grants/);
    }
  });
}
