// How an answer comes to count: checked, remembered as far as it says, written down.

import assert from "node:assert/strict";
import test from "node:test";
import type { AnswerOrigin } from "../../src/approval/memory.ts";
import { settle, type SettleContext } from "../../src/approval/settle.ts";
import type { SettledAnswer } from "../../src/index.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { fail, ok } from "../../src/shared/result.ts";
import { answerTo, questionAbout } from "../fixtures/approver.ts";

interface Notes {
  readonly remembered: [scope: string, rules: readonly RuleText[], origin: AnswerOrigin][];
  readonly recorded: [answer: SettledAnswer, rules: readonly RuleText[]][];
  readonly forgotten: string[];
  readonly context: SettleContext;
}

function notes(more: { readonly full?: boolean; readonly broken?: boolean } = {}): Notes {
  const kept: Omit<Notes, "context"> = { remembered: [], recorded: [], forgotten: [] };
  const context: SettleContext = {
    rules: {
      async remember(scope, rules, origin) {
        if (more.full === true) return fail("internal", "the disk is full");
        kept.remembered.push([scope, rules, origin]);
        return ok(rules.map((_, index) => `a-${index}`));
      },
      forget: async (_scope, names) => void kept.forgotten.push(...names),
    },
    record(_question, answer, rules) {
      if (more.broken === true) throw new Error("the log cannot be written");
      kept.recorded.push([answer, rules]);
    },
    now: () => 77,
  };
  return { ...kept, context };
}

const question = questionAbout([{ kind: "read", path: "/srv/data" }], { session: "s9", project: "/p", agent: "coder" });
const rule: RuleText = { decide: "allow", effect: "read", path: "/srv/data" };

test("once counts once: nothing is remembered", async () => {
  for (const scope of [undefined, "once"] as const) {
    const { context, remembered, recorded } = notes();
    const { scope: _, ...answer } = answerTo(question);
    const settled = await settle(question, scope === undefined ? answer : { ...answer, scope }, context);
    assert.deepEqual([settled.decision, settled.scope, settled.note], ["allow", "once", null]);
    assert.deepEqual([remembered, recorded], [[], [[settled, []]]]);
  }
});

test("rules that come with once are not stored, and not said to be", async () => {
  const { context, remembered, recorded } = notes();
  await settle(question, answerTo(question, { rules: [rule] }), context);
  assert.deepEqual([remembered, recorded[0]?.[1]], [[], []]);
});

for (const scope of ["session", "project", "everywhere"] as const) {
  test(`${scope}: the offered rule is remembered, with when, who and from which question`, async () => {
    const { context, remembered, recorded } = notes();
    const settled = await settle(question, answerTo(question, { scope }), context);
    assert.deepEqual([settled.decision, settled.scope, settled.digest], ["allow", scope, question.action.digest]);
    const origin = { question: question.id, who: "ann", at: 77, agent: "coder", session: "s9", project: "/p" };
    assert.deepEqual(remembered, [[scope, [rule], origin]]);
    assert.deepEqual(recorded, [[settled, [rule]]]);
  });
}

test("an edited rule is remembered as it was edited", async () => {
  const { context, remembered } = notes();
  const wider = { ...rule, path: "/srv", because: "all of it" };
  assert.equal(
    (await settle(question, answerTo(question, { scope: "project", rules: [wider] }), context)).decision,
    "allow",
  );
  assert.deepEqual(remembered[0]?.[1], [wider]);
});

test("a no for good is a rule, and a no once is not", async () => {
  const { context, remembered } = notes();
  await settle(question, answerTo(question, { decision: "deny", reason: "not here" }), context);
  assert.deepEqual(remembered, []);
  const settled = await settle(
    question,
    answerTo(question, { decision: "deny", scope: "project", reason: "never" }),
    context,
  );
  assert.deepEqual([settled.decision, settled.scope, settled.reason], ["deny", "project", "never"]);
  assert.deepEqual(remembered[0]?.[1], [{ ...rule, decide: "deny" }]);
});

test("what cannot be stored counts once, and says so", async () => {
  const { context, recorded } = notes({ full: true });
  const settled = await settle(question, answerTo(question, { scope: "everywhere" }), context);
  assert.deepEqual([settled.decision, settled.scope], ["allow", "once"]);
  assert.match(settled.note ?? "", /could not be stored, so it counts once: the disk is full/);
  assert.deepEqual(recorded, [[settled, []]]);
});

test("what cannot be written down does not count, and is not remembered either", async () => {
  const { context, forgotten } = notes({ broken: true });
  for (const scope of ["once", "session", "project"] as const)
    await assert.rejects(settle(question, answerTo(question, { scope }), context), /log cannot be written/);
  assert.deepEqual(forgotten, ["a-0", "a-0"]);
});
