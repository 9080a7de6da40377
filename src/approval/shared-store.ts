// The port to what a team shares: questions and their answers, remembered rules, and reading the record. SQLite implements it
// on one machine; a database server can implement it for many. What belongs to one machine (appending to the record,
// workspaces, staged commits, tokens) is not here: it stays local and synchronous.
// Invariant: the store never calls back from inside a transaction. A process that changes a question claims it, does its own
// work, and commits; the store only compares and swaps.

import type { Verification } from "../audit/chain.ts";
import type { Entry } from "../audit/entry.ts";
import type { EntryFilter, HourCount, JournalStats, SessionCount } from "../audit/journal.ts";
import type { Rule, RuleText } from "../policy/rule.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import type { Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { Question, SettledAnswer, Severity } from "./approver.ts";
import type { AnswerOrigin, LongerScope } from "./memory.ts";
import type { NoticeStore } from "./notices.ts";

export interface SharedStore {
  readonly queue: QuestionQueue;
  readonly rules: SharedRules;
  readonly record: RecordReader;
  /** Ends the lease of this member and frees what it held at once. */
  close(): Promise<void>;
}

export interface QueuedQuestion {
  readonly question: Question;
  readonly expiresAt: number;
  /** Null while the question waits. */
  readonly answer: SettledAnswer | null;
  /** Whether a call waits for the answer right now. */
  readonly isAwaited: boolean;
  /** Whether a call has taken the answer. */
  readonly isTaken: boolean;
  /** The call that has, if it is known. */
  readonly takenBy?: string;
}

/** The queue takes no more questions. The message says whose questions wait, and how many. */
export class QueueFull extends Error {}

/** The right to answer or to withdraw a question. It expires, so that a killed process does not block others for long. */
export interface Claim {
  readonly question: Question;
  /** The value that the store compares. */
  readonly token: string;
  /** True if another member had claimed the question and did not finish. What that member recorded counts. */
  readonly isTakenOver: boolean;
}

/** Why nobody can use an answer to a question any more. */
export type QuestionEnd = "session" | "caller";

export const endReasons: Readonly<Record<QuestionEnd, string>> = {
  session: "the session that asked has ended",
  caller: "the call that asked was cancelled",
};

export interface NotClaimed {
  readonly ok: false;
  readonly reason: string;
  /** True if another member is answering the question now. The caller can try again after a change. */
  readonly isClaimed: boolean;
}

/** Who serves a page: a command for it, or a run beside its program. */
export type PageRole = "serve" | "run";
/** `notifier`: a process that tells a person who is elsewhere. */
export type WatcherRole = "terminal" | "review" | PageRole | "notifier";

/** Lasts until `leave`, or until its process is gone. */
export interface Presence {
  leave(): Promise<void>;
}

/**
 * The queue of questions: the authority on what was asked and answered, for every process on one store. A member (it watches,
 * waits or owns a question) holds a lease, and counts as gone when the lease has ended.
 */
export interface QuestionQueue {
  /** The command with which a person reaches this store. */
  readonly command: OwnCommand;
  /** Returns the waiting question: this one, or an identical one that was there. Throws QueueFull if too many wait. */
  put(question: Question): Promise<Question>;
  /** The id of an identical waiting question of the same session. */
  waitingId(digest: string, session: SessionId): Promise<string | null>;
  /** Returns an unused answer to an identical call of the same session, and marks it as used, by this call. */
  take(digest: string, session: SessionId, call?: string): Promise<SettledAnswer | null>;
  /** Claims a waiting question to answer it. The first to commit has answered it. */
  claim(id: string): Promise<{ readonly ok: true; readonly claim: Claim } | NotClaimed>;
  /** Marks the question as answered. False if the claim has expired and another member has it. */
  commit(claim: Claim, answer: SettledAnswer): Promise<boolean>;
  /** Whether the claim is still valid. If so, its time starts again. */
  renew(claim: Claim): Promise<boolean>;
  /** Gives the claim back without a change to the question. */
  release(claim: Claim): Promise<void>;
  /**
   * Claims the unanswered questions of a session that has ended and cannot be opened again; with null, of every session whose
   * member is gone. No call can take an answer to them. Answers of theirs that were not used are removed.
   */
  claimEnded(session: SessionId | null): Promise<readonly Claim[]>;
  /** Ends the waiting of the question: with its session, or because its caller cancelled. Returns false as `commit` does. */
  end(claim: Claim, by?: QuestionEnd): Promise<boolean>;
  /** Notes that a call waits for the answer. Several calls may wait for the same one. */
  waitFor(id: string): Promise<Presence>;
  isAwaited(id: string): Promise<boolean>;
  /** Oldest first, without diffs. Questions of ended sessions are left out. */
  waiting(): Promise<readonly QueuedQuestion[]>;
  /** The questions of one session that wait or have an unused answer. */
  unsettled(session: SessionId): Promise<readonly QueuedQuestion[]>;
  /** Includes the diff, so that every reviewer sees what would land. */
  find(id: string): Promise<QueuedQuestion | undefined>;
  /** Whether someone who can answer watches this store: for questions of this severity, or for any. */
  isWatched(severity?: Severity): Promise<boolean>;
  /** Registers a watcher. `url` is the address of the page that shows the questions, `least` the lowest severity it is there for. */
  watch(as: WatcherRole, url?: string, least?: Severity): Promise<Presence>;
  /** The addresses of the open pages: of `serve` first, the newest before others; then those of runs, the oldest before others. */
  pages(of?: PageRole): Promise<readonly string[]>;
  /** What the person was told of the questions, by messages that go to them. */
  readonly notices: NoticeStore;
  /** Changes with each change of a question or of a session's answer, by any process. */
  version(): Promise<string>;
  /** Resolves when the version may differ from `since`, after a while in any case, or when the signal aborts. */
  changed(since: string, signal: AbortSignal): Promise<void>;
}

/** An answer that is valid for a session. */
export interface SessionAnswer {
  readonly id: string;
  readonly rule: RuleText;
  readonly origin: AnswerOrigin;
  readonly expiresAt: number;
}

/** A rule or an answer that is valid for a project or everywhere. */
export interface SharedRule {
  readonly id: string;
  readonly scope: "project" | "everywhere";
  /** True for a remembered yes, which answers questions. Otherwise it is a rule. */
  readonly isAnswer: boolean;
  /** Null if it is for every agent. */
  readonly agent: string | null;
  readonly rule: Rule;
  readonly text: RuleText;
  readonly added: string | null;
  readonly by: string | null;
  /** The id of the question that it answered. */
  readonly question: string | null;
}

/** Remembers an answer for longer than once, and takes it back. */
export interface AnswerMemory {
  /** Stores all rules or none. A no becomes a rule, a yes a remembered answer. Returns the names under which they are listed. */
  remember(scope: LongerScope, rules: readonly RuleText[], origin: AnswerOrigin): Promise<Result<readonly string[]>>;
  /** Removes what was just remembered, because it could not be recorded. */
  forget(scope: LongerScope, names: readonly string[], origin: AnswerOrigin): Promise<void>;
}

/** What was remembered: answers for a session, and rules and answers for a project or for everywhere. */
export interface SharedRules extends AnswerMemory {
  /** Removes what was remembered for a question whose answer nobody recorded. */
  forgetQuestion(question: Question): Promise<void>;
  /** The yeses of one session and agent that are valid now, ready for matching. */
  ofSession(session: string, agent: string): Promise<readonly Rule[]>;
  /** Null selects every session. */
  sessionAnswers(session: string | null): Promise<readonly SessionAnswer[]>;
  /** `problem` says why the rules cannot be read. Then nothing is allowed. */
  stored(project: string): Promise<{ readonly rules: readonly SharedRule[]; readonly problem: string | null }>;
  /** The scopes that contain a rule of that name: the same rule has the same name in each. */
  scopesOf(id: string, project: string): Promise<readonly LongerScope[]>;
  /** False if there is none of that name. */
  remove(id: string, scope: LongerScope, project: string): Promise<boolean>;
  /** Changes with each change of what `stored` returns. */
  storedVersion(project: string): Promise<string>;
}

/** Reads the record. Appending is not here: each machine appends to its own. */
export interface RecordReader {
  /** Newest first by default. Entries are read while the result is consumed, until `signal` aborts. */
  list(filter?: EntryFilter, signal?: AbortSignal): AsyncIterable<Entry>;
  entry(seq: number): Promise<Entry | undefined>;
  /** Everything about one call, in order. */
  story(callId: string): Promise<readonly Entry[]>;
  stats(): Promise<JournalStats>;
  /** The hours with any calls, oldest first, from the hour that contains this ISO time on. */
  hours(since: string): Promise<readonly HourCount[]>;
  /** Newest first. */
  sessions(): Promise<readonly SessionCount[]>;
  /** The number of the newest entry; 0 if there is none. */
  lastSeq(): Promise<number>;
  verify(): Promise<Verification>;
}
