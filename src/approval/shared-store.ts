// What a team shares, behind one port: questions and their answers, remembered rules, and the record as others read it.
// SQLite implements it on one machine; a database server can implement it for many. What belongs to one machine (appending
// to the record, workspaces, staged commits, tokens, guards) is not here: it stays local and synchronous.
// Invariant: nothing here is called back from inside a transaction. Who changes a question claims it, does what must be
// done first, and commits; the store only compares and swaps.

import type { Verification } from "../audit/chain.ts";
import type { Entry } from "../audit/entry.ts";
import type { EntryFilter, HourCount, JournalStats, SessionCount } from "../audit/journal.ts";
import type { Rule, RuleText } from "../policy/rule.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import type { Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { Question, SettledAnswer } from "./approver.ts";
import type { AnswerOrigin, LongerScope } from "./memory.ts";

export interface SharedStore {
  readonly queue: QuestionQueue;
  readonly rules: SharedRules;
  readonly record: RecordReader;
  /** Ends the lease of this member: what it held is free at once. */
  close(): Promise<void>;
}

export interface QueuedQuestion {
  readonly question: Question;
  readonly expiresAt: number;
  /** null: it waits. */
  readonly answer: SettledAnswer | null;
  /** A call has taken the answer. */
  readonly isTaken: boolean;
}

/** No more questions are taken. The message says whose wait, and how many. */
export class QueueFull extends Error {}

/** The right to answer or to withdraw a question. It expires: whoever was killed half way holds up nobody for long. */
export interface Claim {
  readonly question: Question;
  /** What the store compares. */
  readonly token: string;
  /** Somebody had claimed it before and did not finish: what they have recorded counts. */
  readonly isTakenOver: boolean;
}

export interface NotClaimed {
  readonly ok: false;
  readonly reason: string;
  /** Somebody else answers it right now: after a change it can be tried again. */
  readonly isClaimed: boolean;
}

/** Until `leave`, or until its process is gone. */
export interface Presence {
  leave(): Promise<void>;
}

/**
 * The queue of questions: the authority on what was asked and answered, for every process on one store. Whoever is in it
 * (watches, waits, owns a question) holds a lease there, and is gone when the lease has ended.
 */
export interface QuestionQueue {
  /** How a person reaches this store. */
  readonly command: OwnCommand;
  /** Gives the question that waits: this one, or an identical one that was there. Throws QueueFull when too many wait. */
  put(question: Question): Promise<Question>;
  /** The name of an identical question of the same session that waits. */
  waitingId(digest: string, session: SessionId): Promise<string | null>;
  /** An answer to an identical call of the same session that nobody has used yet. It is used now. */
  take(digest: string, session: SessionId): Promise<SettledAnswer | null>;
  /** To answer a question that waits: the first one who commits has answered it. */
  claim(id: string): Promise<{ readonly ok: true; readonly claim: Claim } | NotClaimed>;
  /** The question counts as answered. False: the claim has expired, and somebody else has it. */
  commit(claim: Claim, answer: SettledAnswer): Promise<boolean>;
  /** Whether the claim still holds; then it holds for its whole time again. */
  renew(claim: Claim): Promise<boolean>;
  /** Nothing came of it: the question is as it was. */
  release(claim: Claim): Promise<void>;
  /**
   * Claims the unanswered questions of a session that has ended and cannot be opened again; null: of every session whose
   * member is gone. Nothing can pick an answer up, and what was answered and not used is gone.
   */
  claimEnded(session: SessionId | null): Promise<readonly Claim[]>;
  /** The question waits no more. False as with `commit`. */
  end(claim: Claim): Promise<boolean>;
  /** A call waits for the answer. Several may wait for the same. */
  waitFor(id: string): Promise<Presence>;
  isAwaited(id: string): Promise<boolean>;
  /** Oldest first; without their diffs. Those of ended sessions are not among them. */
  waiting(): Promise<readonly QueuedQuestion[]>;
  /** Those of one session that wait, or have an answer that nobody has used yet. */
  unsettled(session: SessionId): Promise<readonly QueuedQuestion[]>;
  /** With its diff, so that every reviewer sees what would land. */
  find(id: string): Promise<QueuedQuestion | undefined>;
  /** Someone who can answer looks at this store. */
  isWatched(): Promise<boolean>;
  /** Says so. `url`: where the page is that shows the questions. */
  watch(as: "terminal" | "review" | "serve", url?: string): Promise<Presence>;
  /** The pages that are there now, the newest first. */
  pages(): Promise<readonly string[]>;
  /** Another one after each change of a question or a session's answer, by whichever process. */
  version(): Promise<string>;
  /** Resolves when the version may be another than `since`; after a while in any case; or when the signal says so. */
  changed(since: string, signal: AbortSignal): Promise<void>;
}

/** An answer that holds for a session. */
export interface SessionAnswer {
  readonly id: string;
  readonly rule: RuleText;
  readonly origin: AnswerOrigin;
  readonly expiresAt: number;
}

/** A rule or an answer that holds for a project, or everywhere. */
export interface SharedRule {
  readonly id: string;
  readonly scope: "project" | "everywhere";
  /** A remembered yes: it answers questions. Otherwise it is a rule. */
  readonly isAnswer: boolean;
  /** null: for every agent. */
  readonly agent: string | null;
  readonly rule: Rule;
  readonly text: RuleText;
  readonly added: string | null;
  readonly by: string | null;
  /** The question that it answered. */
  readonly question: string | null;
}

/** What was remembered: answers for a session, and rules and answers for a project and for everywhere. */
export interface SharedRules {
  /** Stores whole or not at all. A no becomes a rule, a yes a remembered answer. Gives the names under which they are listed. */
  remember(scope: LongerScope, rules: readonly RuleText[], origin: AnswerOrigin): Promise<Result<readonly string[]>>;
  /** Takes back what was just remembered, because it could not be recorded. */
  forget(scope: LongerScope, names: readonly string[], origin: AnswerOrigin): Promise<void>;
  /** Takes back what was remembered for a question that nobody recorded an answer to. */
  forgetQuestion(question: Question): Promise<void>;
  /** The yeses of one session and agent that hold now, ready to be matched. */
  ofSession(session: string, agent: string): Promise<readonly Rule[]>;
  /** null: of every session. */
  sessionAnswers(session: string | null): Promise<readonly SessionAnswer[]>;
  /** `problem`: why they cannot be read, and then nothing is allowed. */
  stored(project: string): Promise<{ readonly rules: readonly SharedRule[]; readonly problem: string | null }>;
  /** The scopes in which there is one of that name: the same rule has the same name in each. */
  scopesOf(id: string, project: string): Promise<readonly LongerScope[]>;
  /** False: there is none of that name. */
  remove(id: string, scope: LongerScope, project: string): Promise<boolean>;
  /** Another one after each change of what `stored` gives. */
  storedVersion(project: string): Promise<string>;
}

/** The record, read. Appending is not here: each machine appends to its own. */
export interface RecordReader {
  /** Newest first unless told; read while it is consumed, until `signal`. */
  list(filter?: EntryFilter, signal?: AbortSignal): AsyncIterable<Entry>;
  entry(seq: number): Promise<Entry | undefined>;
  /** Everything about one call, in order. */
  story(callId: string): Promise<readonly Entry[]>;
  stats(): Promise<JournalStats>;
  /** Of the hours that had any call, from the one that this ISO time is in, oldest first. */
  hours(since: string): Promise<readonly HourCount[]>;
  /** Newest first. */
  sessions(): Promise<readonly SessionCount[]>;
  /** The number of the newest entry; 0: there is none. */
  lastSeq(): Promise<number>;
  verify(): Promise<Verification>;
}
