// What judging costs when there are many rules, and what a long queue of questions costs to look at.

import { createQuestion } from "../src/approval/question.ts";
import { judge } from "../src/policy/evaluate.ts";
import { createPolicy, noRules, type Policy } from "../src/policy/policy.ts";
import { compileRule, type Rule, type RuleText } from "../src/policy/rule.ts";
import { enterRoom } from "./box-room.ts";
import { ratioOf, sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const RULES = 1_000;
const QUESTIONS = 1_000;
const JUDGEMENTS = 200;
const decisions = ["allow", "ask", "deny"] as const;

/** As people write them: most name a program or a place, some are patterns that must be tried every time. */
function mixedRule(index: number): RuleText {
  const decide = decisions[index % 3] as RuleText["decide"];
  switch (index % 10) {
    case 0:
    case 1:
    case 2:
      return { decide, effect: "run", argv: [`tool${index}`, "sub*", "**"] };
    case 3:
      return { decide, effect: "run", argv: ["git", `verb${index}`, "**"] };
    case 4:
      return { decide, effect: "run", argv: ["*", `--flag${index}`, "**"] };
    case 5:
    case 6:
      return { decide, effect: "read", path: `/srv/place${index}` };
    case 7:
      return { decide: "ask", effect: "read", path: `/**/*.kind${index}` };
    case 8:
      return { decide, effect: "network", host: `**.host${index}.example` };
    default:
      return { decide, effect: "write", path: `/srv/place${index}/*.txt` };
  }
}

function compiled(index: number): Rule {
  const rule = compileRule(mixedRule(index), `r-${index}`, `bench:${index}`);
  if (!rule.ok) throw new Error(rule.failure.message);
  return rule.value;
}

/** The same rules without the index: each is tried on each effect. */
function withoutIndex(policy: Policy, rules: readonly Rule[]): Policy {
  const index = { rules, candidates: () => rules } as unknown as Policy["index"];
  return { ...policy, index };
}

export const policyTopic: Topic = {
  name: "policy",
  async measure() {
    const room = enterRoom();
    try {
      const project = room.makeDirectory("project");
      const gate = room.openGate(project, [{ path: project, mode: "rw" }]);
      const planned = await gate.plan({ tool: "Exec", args: { argv: ["/usr/bin/git", "-C", project, "log", "-3"] } });
      if (!planned.ok) throw new Error(JSON.stringify(planned.failure));
      const { action } = planned.value;
      const rules = Array.from({ length: RULES }, (_, index) => compiled(index));
      const indexed = createPolicy({ rules });
      const judging = (name: string, policy: Policy) => ({
        name,
        run() {
          for (let turn = 0; turn < JUDGEMENTS; turn += 1) {
            if (judge(action, gate.capability, policy).findings.length !== action.effects.length)
              throw new Error("an effect was not judged");
          }
        },
      });
      const names = [`no rules, ${JUDGEMENTS} times`, `${RULES} rules`, `${RULES} rules, each tried`] as const;
      const judged = await sample(
        [judging(names[0], noRules), judging(names[1], indexed), judging(names[2], withoutIndex(indexed, rules))],
        { rounds: 40, budgetMs: 8_000 },
      );

      const verdict = judge(action, undefined);
      const ask = async (index: number) => {
        const draft = { id: `q-${index}`, askedAt: Date.now(), callId: "bench", session: `s-${index}`, project };
        await gate.answerService.queue.put(
          createQuestion({ ...draft, action: { ...action, digest: `${index}` }, verdict }),
        );
      };
      await ask(0);
      const one = (await gate.answerService.queue.waiting()).length;
      const few = await sample(
        [{ name: "list 1 question", run: async () => void (await gate.answerService.queue.waiting()) }],
        {
          rounds: 30,
        },
      );
      const started = performance.now();
      for (let index = 1; index < QUESTIONS; index += 1) await ask(index);
      const putMs = (performance.now() - started) / (QUESTIONS - 1);
      let fewest = QUESTIONS;
      const list = async () => void (fewest = Math.min(fewest, (await gate.answerService.queue.waiting()).length));
      const many = await sample([{ name: `list ${QUESTIONS} questions`, run: list }], { rounds: 30 });
      const perJudgement = (judged[1]?.medianMs ?? 0) / JUDGEMENTS;
      return {
        tables: [
          {
            title: `${JUDGEMENTS} judgements of a git log with ${action.effects.length} effects`,
            base: names[0],
            rows: judged,
          },
          { title: "the queue", base: "list 1 question", rows: [...few, ...many] },
        ],
        goals: [
          {
            what: `judging against ${RULES} rules, of trying each of them`,
            measured: ratioOf(judged, names[1], names[2]),
            bound: 1,
            direction: "at most",
            unit: "×",
          },
          {
            what: `questions listed of ${QUESTIONS}`,
            measured: one === 1 ? fewest : 0,
            bound: QUESTIONS,
            direction: "at least",
            unit: "right",
          },
        ],
        remarks: [
          `one judgement against ${RULES} rules takes ${perJudgement.toFixed(4)} ms; it should stay below 0.2 ms`,
          `one question is put into the queue in ${putMs.toFixed(2)} ms, and all ${QUESTIONS} are listed in ${(many[0]?.medianMs ?? 0).toFixed(1)} ms`,
        ],
      };
    } finally {
      room.leave();
    }
  },
};
