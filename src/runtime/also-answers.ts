// Which other waiting questions an answer for longer than once answers as well: those that would not be asked if their calls were made
// again after it.
// Invariant: a yes answers no more than the rules that it keeps, by the same test as in a gate. It never goes past a rule that denies.

import type { Effect } from "../action/effect.ts";
import type { Question } from "../approval/approver.ts";
import { type LongerScope, rememberedYes } from "../approval/memory.ts";
import { askedFindings, type Offer } from "../approval/offer.ts";
import type { QueuedQuestion, SharedRules } from "../approval/shared-store.ts";
import { matchesRule } from "../policy/match.ts";
import { compileRule, type Rule, type RuleText } from "../policy/rule.ts";
import { RuleIndex } from "../policy/rule-index.ts";

export interface LongerAnswer {
  readonly decision: "allow" | "deny";
  readonly scope: LongerScope;
  readonly rules: readonly RuleText[];
}

export type AlsoAnswered = (answer: LongerAnswer) => Promise<readonly Question[]>;

/** For several answers to one question, such as all that are offered. */
export function alsoAnswers(given: Question, waiting: readonly QueuedQuestion[], rules: SharedRules): AlsoAnswered {
  const others = waiting.map(({ question }) => question).filter(({ id }) => id !== given.id);
  const known = new Map<string, Promise<KnownRules | null>>();
  const rulesFor = ({ session, project, action }: Question): Promise<KnownRules | null> => {
    const key = JSON.stringify([session, project]);
    const read = known.get(key) ?? readRules(rules, session, project, action.agent);
    known.set(key, read);
    return read;
  };
  return async ({ decision, scope, rules: texts }) => {
    const compiled = texts.flatMap((text, index) => {
      const rule = compileRule(text, `new-${index}`, "answer");
      return rule.ok ? [rule.value] : [];
    });
    if (compiled.length === 0 || compiled.length < texts.length) return [];
    const inReach = others.filter((other) => isInReach(scope, given, other));
    if (decision === "deny") return inReach.filter((other) => isDenied(other, compiled));
    const added = new RuleIndex(compiled);
    // Of those that wait, few have anything to do with the new rules.
    const touched = inReach.filter((other) => askedOf(other).some((effect) => rememberedYes(added, effect) !== null));
    const found: Question[] = [];
    for (const other of touched) if (isAllowed(other, compiled, await rulesFor(other))) found.push(other);
    return found;
  };
}

function isInReach(scope: LongerScope, given: Question, other: Question): boolean {
  if (given.action.agent !== other.action.agent) return false;
  if (scope === "session") return given.session === other.session;
  return scope === "everywhere" || given.project === other.project;
}

/** What was remembered before, and the rules that deny. */
interface KnownRules {
  readonly answers: readonly Rule[];
  readonly denies: readonly Rule[];
}

/** Null if the rules cannot be read. */
async function readRules(
  rules: SharedRules,
  session: string,
  project: string,
  agent: string,
): Promise<KnownRules | null> {
  const { rules: stored, problem } = await rules.stored(project);
  if (problem !== null) return null;
  const own = stored.filter((rule) => rule.agent === null || rule.agent === agent);
  return {
    answers: [
      ...own.filter(({ isAnswer }) => isAnswer).map(({ rule }) => rule),
      ...(await rules.ofSession(session, agent)),
    ],
    denies: own.filter(({ isAnswer, text }) => !isAnswer && text.decide === "deny").map(({ rule }) => rule),
  };
}

function askedOf({ verdict }: Question): readonly Effect[] {
  return askedFindings(verdict).map(({ effect }) => effect);
}

const isLongerYes = ({ decision, scope }: Offer) => decision === "allow" && scope !== "once";

function isDenied({ action }: Question, rules: readonly Rule[]): boolean {
  return action.effects.some((effect) => rules.some((rule) => matchesRule(rule, effect)));
}

/**
 * SECURITY(T80): as `approve` decides whether it has to ask, with the new rules among those that are remembered. A question that offers no
 * yes beyond once, such as a push, is answered by itself alone.
 */
function isAllowed(other: Question, compiled: readonly Rule[], known: KnownRules | null): boolean {
  if (known === null || isDenied(other, known.denies)) return false;
  if (other.action.contents.length > 0 || !other.offers.some(isLongerYes)) return false;
  const all = new RuleIndex([...known.answers, ...compiled]);
  return askedOf(other).every((effect) => rememberedYes(all, effect) !== null);
}
