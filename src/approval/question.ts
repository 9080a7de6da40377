// Composes the question: everything that a person has to see before they answer, as one text.
// Invariant: the text is complete and safe to display. A question that is too long to show completely is not asked.

import type { Action } from "../action/action.ts";
import { describeCaller, describeDetails, describeScripts, detailLine } from "../action/describe.ts";
import { describeEffect, type Effect } from "../action/effect.ts";
import { actionTitle } from "../action/title.ts";
import type { Verdict } from "../policy/decision.ts";
import { renderRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import { displayText } from "../shared/display.ts";
import type { Question, QuestionDraft, Severity } from "./approver.ts";
import { opensOf } from "./answer-meaning.ts";
import { hostNotes } from "./host-notes.ts";
import { askedFindings, type Offer, offersFor } from "./offer.ts";

export function createQuestion(draft: QuestionDraft): Question {
  const severity = severityOf(draft.action, draft.verdict);
  const offers = offersFor(draft.action, draft.verdict);
  return { ...draft, severity, offers, text: describeQuestion(draft, severity) };
}

const TITLE_CHARACTERS = 300;

/** What is asked about comes first: a title, and a whole script. Then come the reasons, and what the title does not say whole. */
function describeQuestion({ action, verdict, claimedBy }: QuestionDraft, severity: Severity): string {
  const asked = askedFindings(verdict).map(
    ({ effect, because }) => `  ${displayText(describeEffect(effect))}: ${displayText(because)}`,
  );
  const title = displayText(questionTitle({ action, verdict }), { maxLength: TITLE_CHARACTERS });
  const isNotTitle = (line: string) => line !== detailLine("run", title);
  return [
    `${describeCaller(action)}: ${title}`,
    ...describeScripts(action),
    "",
    `Asked because (${severity} risk):`,
    ...new Set(asked),
    ...[...notesOf(action, verdict), ...claimNotes(claimedBy)].map((note) => `  note: ${note}`),
    "",
    "In full:",
    ...describeDetails(action).filter(isNotTitle).map(markNew(verdict)),
  ].join("\n");
}

/** Of the paths in the box, most are granted already: those that the question is about are marked. */
function markNew(verdict: Verdict): (line: string) => string {
  const asked = askedFindings(verdict).flatMap(({ effect }) =>
    effect.kind === "read" || effect.kind === "write" ? [displayText(effect.path, { maxLength: 100_000 })] : [],
  );
  return (line) => {
    const shown = /^ {2}may (?:see|change) +(.*)$/.exec(line)?.[1];
    const isNew = shown !== undefined && asked.some((path) => shown === path || shown.startsWith(`${path} without `));
    return isNew ? `${line}, which is NEW` : line;
  };
}

/**
 * One line, the same wherever the question is named: the program that would start, otherwise what the action wants. Safe to
 * display; complete, or cut to `most`.
 */
export function questionTitle({ action, verdict }: TitledQuestion, most = 100_000): string {
  return actionTitle(action, most) ?? displayText(wantsOf(verdict), { maxLength: most });
}

interface TitledQuestion {
  readonly action: Parameters<typeof actionTitle>[0];
  readonly verdict: Verdict;
}

/** The effects that the question is about. */
export function wantsOf(verdict: Verdict): string {
  return [...new Set(askedFindings(verdict).map(({ effect }) => describeEffect(effect)))].join(", ");
}

/** SECURITY(T74): a name that a program gives itself is told as that. */
export function claimNotes(claimedBy: string | undefined): string[] {
  if (claimedBy === undefined) return [];
  return [
    `the program that asks calls itself ${JSON.stringify(displayText(claimedBy, { maxLength: 100 }))}; nobody checked that`,
  ];
}

function notesOf(action: Action, verdict: Verdict): string[] {
  const asked = askedFindings(verdict).map(({ effect }) => effect);
  return [
    ...(action.contents.length === 0
      ? []
      : ["it runs files that the agent can change, so a yes is for their present content, once"]),
    ...(asked.some(({ kind }) => kind === "privilege")
      ? ["a yes lets it start; the box gives no privilege all the same"]
      : []),
    ...hostNotes(asked),
  ];
}

/** What an answer means: its sentence, then each rule that it stores, with what the rule allows. */
export function describeOffer({ meaning, rules }: Offer): string {
  return [meaning, ...keptLines(rules).map((line) => `  ${line}`)].join("\n");
}

/** Each rule as stored, and in plain words. Safe to display. The caller separates these lines from its own words. */
export function keptLines(rules: readonly RuleText[]): readonly string[] {
  const opens = opensOf(rules);
  return rules.flatMap((rule, index) => [
    displayText(renderRule(rule), { maxLength: 100_000 }),
    `  ${opens[index] ?? ""}`,
  ]);
}

const ofEffect: Readonly<Record<Effect["kind"], Severity>> = {
  tool: "low",
  read: "low",
  run: "medium",
  pull: "medium",
  write: "high",
  network: "high",
  privilege: "high",
  interactive: "medium",
  destroy: "high",
  push: "medium",
};

function severityOf(action: Action, verdict: Verdict): Severity {
  const found = new Set(askedFindings(verdict).map(({ effect }) => ofEffect[effect.kind]));
  if (action.push?.isProtected === true || action.push?.isDisguised === true) found.add("high");
  if (action.contents.length > 0) found.add("medium");
  return found.has("high") ? "high" : found.has("medium") ? "medium" : "low";
}
