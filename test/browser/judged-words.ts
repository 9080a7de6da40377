// What a gate says to a call that it only judges, in its own words: for comparing two gates.

import { describeEffect } from "../../src/action/effect.ts";
import type { Action } from "../../src/action/action.ts";
import type { Verdict } from "../../src/policy/decision.ts";
import type { Result } from "../../src/shared/result.ts";

export interface Judged {
  readonly decision: string;
  readonly words: readonly string[];
}

/** `names`: what is spelled otherwise here than at the other gate. */
export function judgedWords(
  planned: Result<{ readonly action: Action; readonly verdict: Verdict }>,
  names: ReadonlyMap<string, string> = new Map(),
): Judged {
  const named = (text: string): string => [...names].reduce((said, [own, other]) => said.replaceAll(own, other), text);
  if (!planned.ok) {
    const { error, message, hint = "", because = [] } = planned.failure;
    return { decision: error, words: [message, hint, ...because].map(named) };
  }
  const { decision, findings } = planned.value.verdict;
  const words = findings.map(({ effect, decision: own, because }) => `${own}: ${describeEffect(effect)}: ${because}`);
  return { decision, words: [...new Set(words.map(named))].sort() };
}
