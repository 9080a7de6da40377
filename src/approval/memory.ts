// Answers that were given for longer than once. A remembered yes is not a rule: it answers an `ask`, never a `deny`.

import type { Effect } from "../action/effect.ts";
import { matchesRule } from "../policy/match.ts";
import type { RuleText } from "../policy/rule.ts";
import type { RuleIndex } from "../policy/rule-index.ts";
import type { Result } from "../shared/result.ts";
import { isExactly, isNeverGeneral, type Scope } from "./offer.ts";

/** When, who, and from which question. */
export interface AnswerOrigin {
  readonly question: string;
  readonly who: string;
  readonly at: number;
  readonly agent: string;
  readonly session: string;
  readonly project: string;
}

export interface AnswerMemory {
  /** The yeses that hold for this agent, in this session and project, now. */
  answers(): RuleIndex;
  /** Stores whole or not at all. A no becomes a rule, a yes a remembered answer. Gives the names under which they are listed. */
  remember(scope: Exclude<Scope, "once">, rules: readonly RuleText[], origin: AnswerOrigin): Result<readonly string[]>;
  /** Takes back what was just remembered, because it could not be written down. */
  forget(scope: Exclude<Scope, "once">, names: readonly string[], origin: AnswerOrigin): void;
}

/** The name of the remembered yes that covers the effect: word for word, where a yes is never general. */
export function rememberedYes(answers: RuleIndex, effect: Effect): string | null {
  for (const rule of answers.candidates(effect)) {
    try {
      if (matchesRule(rule, effect) && (!isNeverGeneral(effect) || isExactly(rule.text, effect))) return rule.id;
    } catch {
      // An answer that cannot be read answers nothing.
    }
  }
  return null;
}
