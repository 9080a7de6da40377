// An approver can put a question to a person. The first that can answer does.

import type { Action } from "../action/action.ts";
import type { Verdict } from "../policy/decision.ts";

export interface Question {
  readonly action: Action;
  readonly verdict: Verdict;
}

export interface Answer {
  readonly decision: "allow" | "deny";
  /** The digest of the action that was shown. */
  readonly digest: string;
  readonly who: string;
  readonly reason: string | null;
}

export interface Approver {
  readonly name: string;
  /** null: nobody can be asked here. */
  ask(question: Question, signal: AbortSignal | undefined): Promise<Answer | null>;
}
