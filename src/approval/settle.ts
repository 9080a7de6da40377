// Settles an answer: checks it against the question, remembers it for its scope, and records it.
// Invariant: an answer for another digest, or one that was not offered, counts as no. An answer that cannot be remembered
// counts once, with a note that says so.

import { effectKinds } from "../action/effect.ts";
import { ruleFields } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import type { Answer, Question, SettledAnswer } from "./approver.ts";
import type { LongerScope } from "./memory.ts";
import { checkEdited, type Offer, scopes } from "./offer.ts";
import type { AnswerMemory } from "./shared-store.ts";

export interface SettleContext {
  /** Stores answers for longer than once. */
  readonly rules: AnswerMemory;
  /** Records the answer on this machine. If it throws, nothing counts. */
  readonly record: (question: Question, answer: SettledAnswer, rules: readonly RuleText[]) => void;
  readonly now: () => number;
}

/** `value` is untrusted: types do not exist at run time, and only the exact format of a yes is a yes. */
export async function settle(question: Question, value: unknown, context: SettleContext): Promise<SettledAnswer> {
  const { answer, offer, problem } = readAnswer(question, value);
  if (answer === null || offer === undefined) {
    const reason = `The answer could not be taken: ${problem}.`;
    const no = settled(question, { decision: "deny", scope: "once", who: answer?.who ?? "nobody", reason });
    context.record(question, no, []);
    return no;
  }
  const { decision, scope } = offer;
  const { who, reason } = answer;
  if (scope === "once") {
    const follows = answer.with === undefined ? {} : { with: answer.with };
    const once = settled(question, { decision, scope, who, reason, ...follows });
    context.record(question, once, []);
    return once;
  }
  return await keep(question, { decision, scope, who, reason }, answer.rules ?? offer.rules, context);
}

interface KeptAnswer {
  readonly decision: "allow" | "deny";
  readonly scope: LongerScope;
  readonly who: string;
  readonly reason: string | null;
}

async function keep(
  question: Question,
  answer: KeptAnswer,
  rules: readonly RuleText[],
  { rules: memory, record, now }: SettleContext,
): Promise<SettledAnswer> {
  const { id, action, session, project } = question;
  const { scope, who } = answer;
  const origin = { question: id, who, at: now(), agent: action.agent, session, project };
  const stored = await memory.remember(scope, rules, origin);
  if (!stored.ok) {
    const note = `It could not be stored, so it counts once: ${stored.failure.message}`;
    const once = settled(question, { ...answer, scope: "once" }, note);
    record(question, once, []);
    return once;
  }
  const kept = settled(question, answer);
  try {
    record(question, kept, rules);
  } catch (error) {
    await memory.forget(scope, stored.value, origin);
    throw error;
  }
  return kept;
}

function settled(
  question: Question,
  answer: Pick<SettledAnswer, "decision" | "scope" | "who" | "reason" | "with">,
  note: string | null = null,
): SettledAnswer {
  return { question: question.id, digest: question.action.digest, ...answer, note };
}

interface ReadAnswer {
  readonly answer: Answer | null;
  readonly offer: Offer | undefined;
  readonly problem: string | null;
}

// SECURITY(T27): `true`, "yes", 1 or {} from a callback is not an answer.
function readAnswer(question: Question, value: unknown): ReadAnswer {
  const no = (problem: string, answer: Answer | null = null): ReadAnswer => ({ answer, offer: undefined, problem });
  if (typeof value !== "object" || value === null) return no("it is not an answer");
  const { decision, digest, scope = "once", who, reason = null } = value as Partial<Answer>;
  if (decision !== "allow" && decision !== "deny") return no("it says neither allow nor deny");
  if (typeof who !== "string" || who === "") return no("it does not say who answered");
  if (reason !== null && typeof reason !== "string") return no("its reason is not text");
  if (!["string", "undefined"].includes(typeof (value as Partial<Answer>).with))
    return no("what it follows from is no question");
  const answer: Answer = { ...(value as Answer), decision, scope, who, reason };
  if (digest !== question.action.digest) return no("it is for another action", answer);
  if (!scopes.includes(scope)) return no("it has no scope that there is", answer);
  const offer = question.offers.find((one) => one.decision === decision && one.scope === scope);
  if (offer === undefined) return no(`${decision} ${scope} was not offered`, answer);
  if (scope === "once" || answer.rules === undefined) return { answer, offer, problem: null };
  if (!isRuleTexts(answer.rules)) return no("its rules are not rules", answer);
  const edited = checkEdited(offer, answer.rules, question.verdict);
  return edited.ok ? { answer, offer, problem: null } : no(edited.failure.message, answer);
}

const fieldNames: ReadonlySet<string> = new Set(ruleFields);

function isRuleTexts(value: unknown): value is readonly RuleText[] {
  return (
    Array.isArray(value) &&
    value.every(
      (rule: unknown) =>
        typeof rule === "object" &&
        rule !== null &&
        effectKinds.includes((rule as RuleText).effect) &&
        Object.entries(rule).every(([name, field]) =>
          name === "argv" ? isTexts(field) : fieldNames.has(name) && (typeof field === "string" || field === undefined),
        ),
    )
  );
}

function isTexts(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((word) => typeof word === "string"));
}
