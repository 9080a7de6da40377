// How a grant comes to be. That it cannot be forged is in test/attacks/t02-forged-grants.test.ts.

import assert from "node:assert/strict";
import test from "node:test";
import { sealAction } from "../../src/action/digest.ts";
import { type ApprovalContext, approve } from "../../src/approval/approve.ts";
import type { Answer, Approver } from "../../src/approval/approver.ts";
import { Grant, grantByAnswer, grantByVerdict } from "../../src/approval/grant.ts";
import { defaultRunLimits } from "../../src/shared/run-limits.ts";
import type { Decision, Verdict } from "../../src/policy/decision.ts";
import { RuleIndex } from "../../src/policy/rule-index.ts";
import { ok } from "../../src/shared/result.ts";

const action = sealAction(
  {
    tool: "Exec",
    agent: "default",
    steps: [],
    operation: null,
    contents: [],
    stopsAtFailure: true,
    view: { paths: [], links: [], workspace: { kind: "scratch" }, network: "none" },
    effects: [],
    limits: defaultRunLimits,
  },
  () => "d1",
);
/** Nothing is remembered, and what is written down goes nowhere. */
const asking = (approvers: readonly Approver[]): ApprovalContext => ({
  approvers,
  answers: async () => new RuleIndex([]),
  rules: { remember: async () => ok([]), forget: async () => undefined },
  callId: "c1",
  session: "s1",
  project: "/project",
  timeoutMs: 60_000,
  questionId: async () => "q1",
  now: () => 0,
  signal: undefined,
  record: () => undefined,
  asked: () => undefined,
  timedOut: () => undefined,
});
const verdict = (decision: Decision, kind: "read" | "network" | "run" = "read"): Verdict => ({
  decision,
  findings: [
    {
      effect: { kind, path: "/x", host: "*", program: "/x", argv: [], at: "start" } as never,
      decision,
      by: "built-in",
      because: "no grant covers it",
      rules: [],
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
    grantByAnswer(action, {
      question: "q1",
      decision: "allow",
      digest: "d1",
      scope: "once",
      who: "a person",
      reason: null,
      note: null,
    }),
  ]) {
    assert.ok(Grant.isGrant(grant));
    assert.equal(grant.action, action);
    assert.ok(Object.isFrozen(grant));
  }
});

test("allow is not asked about, deny neither", async () => {
  const asked: string[] = [];
  assert.ok((await approve(action, verdict("allow"), asking([answers({}, asked)]))).ok);
  const denied = await approve(action, verdict("deny"), asking([answers({}, asked)]));
  assert.ok(!denied.ok);
  assert.deepEqual(asked, []);
});

test("ask goes to the first who can answer", async () => {
  const asked: string[] = [];
  const given = await approve(
    action,
    verdict("ask"),
    asking([answers(null, asked), answers({}, asked), answers({ decision: "deny" }, asked)]),
  );
  assert.ok(given.ok);
  assert.deepEqual(asked, ["d1", "d1"]);
});

test("a no says so, with its reason", async () => {
  const given = await approve(action, verdict("ask"), asking([answers({ decision: "deny", reason: "not today" })]));
  assert.ok(!given.ok);
  assert.deepEqual([given.failure.error, given.failure.message], ["approval_denied", "A person said no: not today"]);
});

test("an answer for another digest is a no, and never a grant", async () => {
  const given = await approve(action, verdict("ask"), asking([answers({ digest: "d2" })]));
  assert.ok(!given.ok);
  assert.equal(given.failure.error, "approval_denied");
  assert.match(given.failure.message, /for another action/);
});

for (const value of [
  undefined,
  {},
  "yes",
  1,
  true,
  { decision: "allow" },
  { decision: "yes", digest: "d1", who: "x" },
]) {
  test(`${JSON.stringify(value)} from an approver is no yes`, async () => {
    const given = await approve(
      action,
      verdict("ask"),
      asking([{ name: "test", ask: () => Promise.resolve(value as never) }]),
    );
    assert.ok(!given.ok);
  });
}

test("an approver that throws cannot answer; one that never answers is out of time, which is not a no", async () => {
  const thrown = await approve(
    action,
    verdict("ask"),
    asking([{ name: "test", ask: () => Promise.reject(new Error("gone")) }]),
  );
  assert.ok(!thrown.ok && thrown.failure.error === "fs_denied" && /gone/.test(thrown.failure.hint ?? ""));
  const silent: Approver = { name: "test", ask: () => new Promise(() => undefined) };
  const late = await approve(action, verdict("ask"), { ...asking([silent]), timeoutMs: 20 });
  assert.ok(!late.ok);
  assert.equal(late.failure.error, "approval_timeout");
});

for (const [kind, slug] of [
  ["read", "fs_denied"],
  ["network", "net_denied"],
  ["run", "permission_denied"],
] as const) {
  test(`nobody to ask about ${kind}: ${slug}, with what would make it pass`, async () => {
    for (const approvers of [[], [answers(null)]]) {
      const given = await approve(action, verdict("ask", kind), asking(approvers));
      assert.ok(!given.ok);
      assert.equal(given.failure.error, slug);
      assert.match(given.failure.hint ?? "", /grants/);
    }
  });
}
