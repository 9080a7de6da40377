// From a key to an answer: what is stored for longer is shown first, can be edited, and is confirmed by a second key.
// The prompt and the review share it, and differ only in where they draw.
// Invariant: Enter alone says yes only to a rule that is on the screen, after the key that asked for it.

import type { Answer, Question } from "../approval/approver.ts";
import { checkEdited, type Offer } from "../approval/offer.ts";
import { readRuleArgument } from "../config/rule-argument.ts";
import { editableRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import { displayText } from "../shared/display.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Keys } from "./keys.ts";
import type { Look } from "./look.ts";
import { type Choice, choicesOf, ruleLines } from "./question-view.ts";
import { wrapText } from "./table.ts";

export interface AnswerContext {
  readonly keys: Keys;
  readonly who: string;
  readonly home: string;
  readonly signal: AbortSignal;
  readonly look: () => Look;
  /** Draws lines where the person looks, instead of or below what was there. */
  readonly show: (lines: readonly string[]) => void;
}

/** null: the key answers nothing, or the person thought better of it. */
export async function answerFor(key: string, question: Question, context: AnswerContext): Promise<Answer | null> {
  const choice = choicesOf(question).find((one) => one.key === key);
  return choice === undefined ? null : await answerChoice(choice, question, context);
}

export async function answerChoice(
  { key, name, offer }: Choice,
  question: Question,
  context: AnswerContext,
): Promise<Answer | null> {
  const { decision, scope } = offer;
  const answer: Answer = { decision, scope, digest: question.action.digest, who: context.who, reason: null };
  if (key === "r") return await withReason(answer, context);
  if (scope !== "project" && scope !== "everywhere") return answer;
  const rules = await confirmRules(question, offer, name, context);
  return rules === null ? null : { ...answer, rules };
}

async function withReason(answer: Answer, { keys, show, look, signal }: AnswerContext): Promise<Answer | null> {
  show(wrapText("Why not? The agent is told. Enter without a word says no alone; Ctrl-C goes back.", look().width));
  const reason = await keys.line("reason: ", "", signal);
  return reason === null ? null : { ...answer, reason: reason.trim() === "" ? null : reason.trim().slice(0, 2_000) };
}

async function confirmRules(
  question: Question,
  offer: Offer,
  name: string,
  context: AnswerContext,
): Promise<readonly RuleText[] | null> {
  const { keys, show, look, signal } = context;
  let rules = offer.rules;
  for (let problem: string | null = null; ;) {
    const { width } = look();
    show([
      ...wrapText(`${name}: this is kept for agent ${displayText(question.action.agent)}`, width),
      ...ruleLines(rules, look()),
      ...(problem === null ? [] : wrapText(problem, width).map((line) => look().paint(line, "red"))),
      ...wrapText("[Enter] keep it   [e] edit it   any other key: back", width),
    ]);
    keys.drain();
    const key = await keys.next(signal);
    if (key === "enter") return rules;
    if (key !== "e") return null;
    const edited = await editRules(rules, question, context);
    if (edited === null) return null;
    const checked: Result<readonly RuleText[]> = edited.ok
      ? checkEdited(offer, edited.value, question.verdict)
      : edited;
    problem = checked.ok ? null : displayText([checked.failure.message, checked.failure.hint ?? ""].join(". "));
    if (checked.ok) rules = checked.value;
  }
}

async function editRules(
  rules: readonly RuleText[],
  { project }: Question,
  { keys, home, signal }: AnswerContext,
): Promise<Result<readonly RuleText[]> | null> {
  const edited: RuleText[] = [];
  for (const rule of rules) {
    const line = await keys.line("rule: ", editableRule(rule), signal);
    if (line === null) return null;
    const typed = readRuleArgument(line, { project, home });
    if (!typed.ok)
      return fail("invalid_args", typed.errors[0]?.message ?? "this is not a rule", { hint: typed.errors[0]?.hint });
    edited.push(typed.rule.text);
  }
  return ok(edited);
}
