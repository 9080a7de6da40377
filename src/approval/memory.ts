// Answers that were given for longer than once. A remembered yes is not a rule: it answers an `ask`, never a `deny`.

import type { Effect } from "../action/effect.ts";
import { matchesRule } from "../policy/match.ts";
import type { RuleIndex } from "../policy/rule-index.ts";
import { isExactly, isNeverGeneral, type Scope } from "./offer.ts";

/** When the answer was given, by whom, and to which question. */
export interface AnswerOrigin {
  readonly question: string;
  readonly who: string;
  readonly at: number;
  readonly agent: string;
  readonly session: string;
  readonly project: string;
}

export type LongerScope = Exclude<Scope, "once">;

/**
 * The name of the remembered yes that covers the effect. For an effect that never has a general yes, the rule must match word
 * for word.
 */
export function rememberedYes(answers: RuleIndex, effect: Effect): string | null {
  for (const rule of answers.candidates(effect)) {
    try {
      if (matchesRule(rule, effect) && (!isNeverGeneral(effect) || isExactly(rule.text, effect))) return rule.id;
    } catch {
      // An answer that cannot be parsed answers nothing.
    }
  }
  return null;
}
