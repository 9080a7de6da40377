// The three decisions, ordered. The strictest wins, always.

import { describeEffect, type Effect } from "../action/effect.ts";

export type Decision = "allow" | "ask" | "deny";

const strictness: Record<Decision, number> = { allow: 0, ask: 1, deny: 2 };

export function strictest(decisions: readonly Decision[]): Decision {
  return decisions.reduce<Decision>((worst, next) => (strictness[next] > strictness[worst] ? next : worst), "allow");
}

/** A rule that was about an effect. */
export interface MatchedRule {
  readonly id: string;
  readonly decide: Decision;
  readonly origin: string;
  readonly because: string | null;
}

/** What was decided about one effect, and what said so. */
export interface Finding {
  readonly effect: Effect;
  readonly decision: Decision;
  /** `never`: what no rule and no person opens. */
  readonly by: "never" | "rules" | "otherwise" | "built-in" | "error";
  readonly because: string;
  /** Every rule that was about it, whichever decided. */
  readonly rules: readonly MatchedRule[];
}

export interface Verdict {
  readonly decision: Decision;
  readonly findings: readonly Finding[];
}

/** The findings that made the verdict what it is, one line each. */
export function reasonsOf(verdict: Verdict): string[] {
  return verdict.findings
    .filter((finding) => finding.decision === verdict.decision)
    .map((finding) => `${describeEffect(finding.effect)}: ${finding.because}`);
}
