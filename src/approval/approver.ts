// An approver can put a question to a person. The first that can answer does.

import type { Action } from "../action/action.ts";
import type { DiffFile } from "../action/diff-file.ts";
import type { Verdict } from "../policy/decision.ts";
import type { RuleText } from "../policy/rule.ts";
import type { Offer, Scope } from "./offer.ts";

export type Severity = "low" | "medium" | "high";

/** Everything that a person is shown, and all that their answer is checked against. Plain data: it can be stored. */
export interface Question {
  readonly id: string;
  /** When it was asked, in milliseconds since 1970. */
  readonly askedAt: number;
  readonly callId: string;
  readonly session: string;
  /** Its session ends with the gate that asked: after that, nothing can pick an answer up. */
  readonly endsWithGate?: boolean | undefined;
  readonly project: string;
  readonly severity: Severity;
  readonly action: Action;
  readonly verdict: Verdict;
  readonly offers: readonly Offer[];
  /** The whole of it, safe for a screen. Of a push: all but its diff. */
  readonly text: string;
  /** A push's diff, file by file. Lists of questions leave it out. */
  readonly diff?: readonly DiffFile[] | undefined;
}

export interface Answer {
  readonly decision: "allow" | "deny";
  /** The digest of the action that was shown. */
  readonly digest: string;
  /** Absent: once. */
  readonly scope?: Scope;
  readonly who: string;
  /** For the agent. */
  readonly reason: string | null;
  /** The offer's rules as the person edited them. Absent: as they were offered. */
  readonly rules?: readonly RuleText[];
}

/** An answer that was checked, remembered as far as it says, and written down. */
export interface SettledAnswer {
  readonly question: string;
  readonly decision: "allow" | "deny";
  readonly digest: string;
  readonly scope: Scope;
  readonly who: string;
  readonly reason: string | null;
  /** What a person should know: that it could not be remembered, and why. */
  readonly note: string | null;
}

export type Response =
  | Answer
  | { readonly settled: SettledAnswer }
  /** Nobody can be asked here; what the agent can be told about that. */
  | { readonly nobody: string | null };

export interface Approver {
  readonly name: string;
  /** null: nobody can be asked here. The signal says that an answer would come too late. */
  ask(question: Question, signal: AbortSignal): Promise<Response | null>;
  /** Where a person can still answer when the call has waited long enough. */
  later?(question: Question): string | Promise<string>;
}
