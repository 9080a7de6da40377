// The three decisions, in order. The strictest always wins.

import { describeEffect, type Effect } from "../action/effect.ts";

export type Decision = "allow" | "ask" | "deny";

const strictness: Record<Decision, number> = { allow: 0, ask: 1, deny: 2 };

export function strictest(decisions: readonly Decision[]): Decision {
  return decisions.reduce<Decision>((worst, next) => (strictness[next] > strictness[worst] ? next : worst), "allow");
}

/** A rule that matched an effect. */
export interface MatchedRule {
  readonly id: string;
  readonly decide: Decision;
  readonly origin: string;
  readonly because: string | null;
}

/** The decision about one effect, and what decided it. */
export interface Finding {
  readonly effect: Effect;
  readonly decision: Decision;
  /** `never`: no rule and no person can allow it. */
  readonly by: "never" | "rules" | "otherwise" | "built-in" | "error";
  readonly because: string;
  /** Every rule that matched, whichever decided. */
  readonly rules: readonly MatchedRule[];
}

export interface Verdict {
  readonly decision: Decision;
  readonly findings: readonly Finding[];
}

/** The findings that decided the verdict, one line each. */
export function reasonsOf(verdict: Verdict): string[] {
  return verdict.findings
    .filter((finding) => finding.decision === verdict.decision)
    .map((finding) => `${describeEffect(finding.effect)}: ${finding.because}`);
}
