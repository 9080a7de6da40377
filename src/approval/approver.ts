// An approver can ask a person. The first approver that can answer does.

import type { Action } from "../action/action.ts";
import type { DiffFile } from "../action/diff-file.ts";
import type { Verdict } from "../policy/decision.ts";
import type { RuleText } from "../policy/rule.ts";
import type { Offer, Scope } from "./offer.ts";

export type Severity = "low" | "medium" | "high";

/** What a question is about, before the gate adds how it is shown and which answers it offers. */
export interface QuestionDraft {
  readonly id: string;
  /** The time of the question, in milliseconds since 1970. */
  readonly askedAt: number;
  readonly callId: string;
  readonly session: string;
  /** A readable name of the session, if its own is a random one. For display alone: nothing is looked up by it. */
  readonly sessionName?: string | undefined;
  /** True if the session ends with the gate that asked. After that, no call can take an answer. */
  readonly endsWithGate?: boolean | undefined;
  readonly project: string;
  /** What the program that called says it is. Nobody has checked it. */
  readonly claimedBy?: string | undefined;
  readonly action: Action;
  readonly verdict: Verdict;
  /** The diff of a push, file by file. Lists of questions leave it out. */
  readonly diff?: readonly DiffFile[] | undefined;
}

/** Everything that the person sees, and everything that their answer is checked against. Plain data: it can be stored. */
export interface Question extends QuestionDraft {
  readonly severity: Severity;
  readonly offers: readonly Offer[];
  /** The whole question, safe to display; for a push, without its diff. */
  readonly text: string;
}

export interface Answer {
  readonly decision: "allow" | "deny";
  /** The digest of the action that was shown. */
  readonly digest: string;
  /** Absent means once. */
  readonly scope?: Scope;
  readonly who: string;
  /** The reason for the agent. */
  readonly reason: string | null;
  /** The offer's rules as the person edited them; absent if unchanged. */
  readonly rules?: readonly RuleText[];
  /**
   * True if the person was shown which other waiting questions the answer spares them, and answers those as well. Only the answer
   * service does that.
   */
  readonly answersOthers?: boolean;
  /** The question whose longer answer this one follows from. */
  readonly with?: string;
}

/** An answer that was checked, remembered for its scope, and recorded. */
export interface SettledAnswer {
  readonly question: string;
  readonly decision: "allow" | "deny";
  readonly digest: string;
  readonly scope: Scope;
  readonly who: string;
  readonly reason: string | null;
  /** A message for the person: the answer could not be remembered, and why. */
  readonly note: string | null;
  /** The question whose longer answer this one follows from. */
  readonly with?: string;
}

export type Response =
  | Answer
  | { readonly settled: SettledAnswer }
  /** Nobody can be asked here; holds a message about that for the agent. */
  | { readonly nobody: string | null };

export interface Approver {
  readonly name: string;
  /** Null if nobody can be asked here. After the signal, an answer comes too late. */
  ask(question: Question, signal: AbortSignal): Promise<Response | null>;
  /** Where a person can still answer after the call has stopped waiting. */
  later?(question: Question): string | Promise<string>;
}
