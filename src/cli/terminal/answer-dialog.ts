// Turns keys into an answer: a key chooses, the screen shows what the choice means and what it would store, and Enter
// confirms. The person can first edit what is stored beyond the session. The prompt and the review share this dialog and
// differ only in where they draw.
// Invariant: no single key says yes. Enter confirms only what is on the screen, after the key that chose it.

import { reasonKey, type StrayKeys } from "../../approval/answer-keys.ts";
import type { Answer, Question } from "../../approval/approver.ts";
import { meaningOf } from "../../approval/answer-meaning.ts";
import { askedFindings, checkEdited, rulesToSend } from "../../approval/offer.ts";
import { readyNames, type ReadyScope, readyScopes } from "../../approval/ready-scopes.ts";
import { questionTitle } from "../../approval/question.ts";
import { editableRule } from "../../policy/render.ts";
import type { RuleText } from "../../policy/rule.ts";
import type { AlsoAnswered } from "../../runtime/also-answers.ts";
import { displayText } from "../../shared/display.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { cutColumns } from "./columns.ts";
import type { Keys } from "./keys.ts";
import type { ViewStyle } from "./view-style.ts";
import { type Choice, ruleLines, safeForStyle } from "./question-view.ts";
import { limits } from "../../shared/limits.ts";
import { wrapText } from "./table.ts";

export interface AnswerContext {
  readonly keys: Keys;
  readonly who: string;
  readonly home: string;
  readonly signal: AbortSignal;
  readonly viewStyle: () => ViewStyle;
  /** Draws lines on the person's screen, in place of the current ones or below them. */
  readonly show: (lines: readonly string[]) => void;
  /** Which other waiting questions an answer to this one would answer as well. */
  readonly alsoAnswers: (question: Question) => Promise<AlsoAnswered>;
  /** Typed keys that had no meaning. */
  readonly stray: StrayKeys;
}

/** Null if the person changed their mind. A no for this call is the only answer that a single key gives. */
export async function answerChoice(choice: Choice, question: Question, context: AnswerContext): Promise<Answer | null> {
  const { decision, scope } = choice.offer;
  const answer: Answer = { decision, scope, digest: question.action.digest, who: context.who, reason: null };
  if (choice.key === reasonKey) {
    const why = await askReason(context);
    return why === null ? null : { ...answer, ...why };
  }
  if (decision === "deny" && scope === "once") return answer;
  const rules = await confirm(choice, question, context);
  if (rules === null) return null;
  // The person saw how many there are.
  const others = scope === "once" ? {} : { answersOthers: true };
  const sent = rules === choice.offer.rules ? rulesToSend(choice.offer) : { rules };
  return { ...answer, ...others, ...sent };
}

/** `what`: to what, if it is a no to more than the question on the screen. Null if the person changed their mind. */
export async function askReason(
  { keys, show, viewStyle, signal }: AnswerContext,
  what = "",
): Promise<{ readonly reason: string | null } | null> {
  show(
    wrapText(
      `${what}Why not? The agent is told. A \\ at the end of a line: one more line. Enter without a word says no alone; Ctrl-C goes back.`,
      viewStyle().width,
    ),
  );
  const lines: string[] = [];
  for (let more = true; more;) {
    const line = await keys.line("reason: ", "", signal);
    if (line === null) return null;
    more = line.endsWith("\\");
    lines.push(more ? line.slice(0, -1) : line);
  }
  const reason = lines.join("\n").trim();
  return { reason: reason === "" ? null : reason.slice(0, limits.reasonCharacters) };
}

/** SECURITY(T39): Enter counts only after the screen shows the choice. Returns what to store; null if the person did not confirm. */
async function confirm(
  { key: chosen, name, offer }: Choice,
  question: Question,
  context: AnswerContext,
): Promise<readonly RuleText[] | null> {
  const { keys, show, viewStyle, signal, stray } = context;
  const { decision, scope } = offer;
  const asked = askedFindings(question.verdict).map(({ effect }) => effect);
  const canEdit = scope === "project" || scope === "everywhere";
  const widths = canEdit ? readyScopes(offer, question.verdict, context.home) : [];
  const ways = [`[Enter] ${offer.rules.length === 0 ? "say it" : "keep it"}`, ...(canEdit ? ["[e] edit it"] : [])];
  let rules = offer.rules;
  const find = scope === "once" ? null : { scope, also: await context.alsoAnswers(question) };
  for (let problem: string | null = null; ;) {
    const others = find === null ? [] : await find.also({ decision, scope: find.scope, rules });
    const { width } = viewStyle();
    show([
      ...wrapText(`${name}: ${meaningOf(decision, scope, rules, asked)}`, width),
      ...ruleLines(rules, viewStyle()),
      ...alsoLines(others, viewStyle()),
      ...(widths.length > 1 ? widthLines(widths, rules, width) : []),
      ...(problem === null ? [] : wrapText(problem, width).map((line) => viewStyle().paint(line, "red"))),
      ...wrapText([...ways, "any other key: back"].join("   "), width),
    ]);
    keys.drain();
    const key = await keys.next(signal);
    if (key === "enter") return rules;
    const chosenWidth = widths.length > 1 ? widths[Number(key) - 1] : undefined;
    if (chosenWidth !== undefined) {
      ({ rules } = chosenWidth);
      problem = null;
      continue;
    }
    if (key !== "e" || !canEdit) {
      if (key === chosen) continue;
      if (key?.length === 1) stray.add(chosen, key);
      return null;
    }
    const edited = await editRules(rules, question, context);
    if (edited === null) return null;
    const checked: Result<readonly RuleText[]> = edited.ok
      ? checkEdited(offer, edited.value, question.verdict)
      : edited;
    problem = checked.ok ? null : displayText([checked.failure.message, checked.failure.hint ?? ""].join(". "));
    if (checked.ok) rules = checked.value;
  }
}

/** A number for each ready-made width. Choosing one says nothing yet. */
function widthLines(widths: readonly ReadyScope[], chosen: readonly RuleText[], columns: number): readonly string[] {
  return widths.flatMap(({ width, rules }, index) => {
    const mark = rules.map(editableRule).join() === chosen.map(editableRule).join() ? "*" : " ";
    return wrapText(`[${index + 1}]${mark}${readyNames[width]}`, columns);
  });
}

const ALSO_LISTED = 3;

/** The other questions that the answer would answer, the first of them by their titles. */
function alsoLines(others: readonly Question[], style: ViewStyle): readonly string[] {
  if (others.length === 0) return [];
  const count = others.length === 1 ? "1 waiting question" : `${others.length} waiting questions`;
  const titles = others
    .slice(0, ALSO_LISTED)
    .map((other) => `  ${cutColumns(questionTitle(other, 300), Math.max(10, style.width - 2), style.isUnicode)}`);
  const more = others.length > ALSO_LISTED ? [`  and ${others.length - ALSO_LISTED} more`] : [];
  return [
    style.paint(`It also answers ${count}:`, "bold"),
    ...titles.map((line) => safeForStyle(line, style)),
    ...more,
  ];
}

async function editRules(
  rules: readonly RuleText[],
  { project }: Question,
  { keys, home, signal }: AnswerContext,
): Promise<Result<readonly RuleText[]> | null> {
  const { readRuleArgument } = await import("../../config/rule-argument.ts"); // with the schemas; few people edit a rule
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
