// Writes answers and withdrawals to the record, and finds them again.

import type { Question, SettledAnswer } from "../approval/approver.ts";
import { meaningOf, opensOf } from "../approval/answer-meaning.ts";
import { askedFindings, scopes } from "../approval/offer.ts";
import { endReasons, type QuestionEnd, type RecordReader } from "../approval/shared-store.ts";
import type { EntryEvent } from "../audit/entry.ts";
import type { Journal } from "../audit/journal.ts";
import { renderRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import { fieldsOf } from "../shared/json.ts";
import { recordedTitle } from "./recorded-title.ts";

/** Records the answer in the words that the screen showed: its scope, and the rules that it keeps. */
export function recordAnswer(
  journal: Journal,
  { id, callId, session, action, verdict }: Question,
  answer: SettledAnswer,
  rules: readonly RuleText[],
): void {
  const { decision, scope, who, reason, note, with: other } = answer;
  const asked = askedFindings(verdict).map(({ effect }) => effect);
  const means = meaningOf(decision, scope, rules, asked);
  const opens = rules.length === 0 ? {} : { opens: opensOf(rules) };
  const common = { session, agent: action.agent, call_id: callId, tool: action.tool, digest: action.digest };
  journal.append(
    {
      ...common,
      event: "approval.answered",
      decision,
      because: [`a person: ${who}`, ...(other === undefined ? [] : [`with the answer to question ${other}`])],
      outcome: {
        question: id,
        who,
        decision,
        scope,
        means,
        ...opens,
        reason,
        ...(note === null ? {} : { note }),
        ...(other === undefined ? {} : { with: other }),
      },
    },
    { durable: true },
  );
  if (rules.length === 0) return;
  const stored = rules.map(renderRule);
  journal.append(
    { ...common, event: "policy.changed", outcome: { added: stored, scope, who, question: id } },
    { durable: true },
  );
}

export function recordWithdrawal(journal: Journal, question: Question, by: QuestionEnd): void {
  const { id, callId, session, action } = question;
  const { agent, tool, digest } = action;
  const outcome = { question: id, asked: recordedTitle(question), withdrawn: endReasons[by] };
  journal.append({ session, agent, call_id: callId, tool, digest, event: "approval.timeout", outcome });
}

/** Null if no answer is recorded. */
export async function recordedAnswer(record: RecordReader, question: Question): Promise<SettledAnswer | null> {
  const found = await outcomeOf(record, question, "approval.answered", () => true);
  if (found === null) return null;
  const { decision, who, reason = null, note = null } = found;
  const scope = scopes.find((one) => one === found["scope"]);
  if ((decision !== "allow" && decision !== "deny") || scope === undefined) return null;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    question: question.id,
    decision,
    digest: question.action.digest,
    scope,
    who: text(who) ?? "nobody",
    reason: text(reason),
    note: text(note),
    ...(typeof found["with"] === "string" ? { with: found["with"] } : {}),
  };
}

export async function wasWithdrawn(record: RecordReader, question: Question): Promise<boolean> {
  return (await outcomeOf(record, question, "approval.timeout", ({ withdrawn }) => withdrawn !== undefined)) !== null;
}

async function outcomeOf(
  record: RecordReader,
  { id, callId }: Question,
  event: EntryEvent,
  fits: (outcome: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown> | null> {
  for (const entry of await record.story(callId)) {
    const outcome = fieldsOf(entry.outcome);
    if (entry.event === event && outcome["question"] === id && fits(outcome)) return outcome;
  }
  return null;
}
