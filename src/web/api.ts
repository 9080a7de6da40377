// The messages between the page and its server: types only, shared by both. api-changes.ts and api-machine.ts have the others.
// Invariant: the server sends an agent's strings unchanged, and the page shows them only through the display function.

import type { ShownConflict } from "../git/publish/push/shown-conflict.ts";
import type { PushAction } from "../action/action.ts";
import type { DiffFileFacts, DiffHunk, DiffLine } from "../action/diff-file.ts";
import type { Severity } from "../approval/approver.ts";
import type { Offer, Scope } from "../approval/offer.ts";
import type { QueueFacets } from "../approval/queue-list.ts";
import type { ReadyWidth } from "../approval/ready-scopes.ts";
import type { AnswerUse } from "../approval/answer-use.ts";
import type { ReviewComment } from "../approval/review-comments.ts";
import type { Entry, EntryLabels } from "../audit/entry.ts";
import type { JournalStats } from "../audit/journal.ts";
import type { Decision } from "../policy/decision.ts";

/** `POST /api/enter`: exchanges the link's token, which works once, for the page's own. */
export interface EnterRequest {
  readonly token: string;
}

export interface Entered {
  /** The page sends it as `Authorization: Bearer …` with every other request. It lives as long as the server. */
  readonly page: string;
}

/** Every response other than 2xx. */
export interface Refused {
  readonly error: string;
  readonly message: string;
  readonly hint?: string;
  /** Of a landing that does not fit: both sides, by file. */
  readonly conflict?: ShownConflict;
}

/** `GET /api/events`: server-sent events, one `state` at once and one after each change. */
export interface LiveState {
  /** Waiting questions, and staged commits that no question is about. */
  readonly waiting: number;
  readonly staged: number;
  /** Changes with the queue, with which questions a call waits for, with an answer or a staged commit. */
  readonly version: string;
  /** The number of the newest entry of the record; 0 if there is none. */
  readonly lastSeq: number;
  /** How many sessions have work that has not landed, as far as known. */
  readonly unlanded: number;
  /** Changes with that list. */
  readonly changes: string;
  /** Changes with the paired devices, and while one is paired. */
  readonly devices: string;
}

/**
 * `GET /api/queue?agent=&client=&session=&severity=&effect=&text=&sort=`. Oldest first, unless `sort` is `newest` or `risk`. If there are more
 * than a page of them, the first ones of every agent and session.
 */
export interface QueueView {
  /** Those that are alike stand side by side. */
  readonly questions: readonly QuestionRow[];
  /** How many more fit the filter; absent if there are none. */
  readonly more?: number;
  /** Questions that are alike: those of one agent and project that ask for the same. */
  readonly groups?: readonly AlikeGroup[];
  /** All that wait, whatever the filter is. */
  readonly waiting?: number;
  readonly facets?: QueueFacets;
  /** Staged commits that no waiting question is about. */
  readonly staged: readonly StagedRow[];
  /** The command that makes a question appear here. */
  readonly demo?: string;
}

export interface AlikeGroup {
  /** The id of its first question. */
  readonly id: string;
  readonly count: number;
  /** What all of them ask for. */
  readonly wants: string;
}

export interface QuestionRow {
  readonly id: string;
  /** ISO times. */
  readonly asked: string;
  readonly expires: string;
  readonly agent: string;
  readonly session: string;
  /** The name to show for the session: its own, or a readable one where its own is random. Never a key. */
  readonly sessionName: string;
  /** Whether a call waits for the answer right now. */
  readonly awaited: boolean;
  readonly project: string;
  readonly tool: string;
  readonly severity: Severity;
  /** One line: the command lines or the script that would start, otherwise what the action wants. */
  readonly title: string;
  /** What the question is about; absent if the title says it already. */
  readonly wants?: string;
  /** Null if it is not a push. */
  readonly push: PushSummary | null;
  /** What the program that asks calls itself. Nobody has checked it. */
  readonly client?: string;
  /** The id of its group, if others are alike. */
  readonly group?: string;
}

export interface PushSummary {
  readonly place: string;
  readonly branch: string;
  readonly isNewBranch: boolean;
  readonly isProtected: boolean;
  readonly files: number;
  /** The complete message of the commit. */
  readonly message?: string;
}

export interface StagedRow {
  readonly id: string;
  readonly session: string;
  readonly agent: string;
  readonly created: string;
  readonly message: string;
  readonly files: number;
}

/** `GET /api/questions/:id`. The whole question, without the hunks of its diff. */
export interface QuestionView extends QuestionRow {
  readonly digest: string;
  /** The whole question, safe to display; for a push, without its diff. */
  readonly text: string;
  /** Why the gate asks, one line for each effect, and what the program that asked says it is. */
  readonly because: readonly string[];
  readonly offers: readonly OfferView[];
  /** Why the device that asks may not answer it; absent if it may. */
  readonly limit?: string;
  readonly action: PushAction | null;
  /** Empty if it is not a push. */
  readonly files: readonly FileView[];
  /** By what the person was told of it, oldest first; absent if by nothing. */
  readonly told?: readonly ToldView[];
  readonly answered: {
    readonly decision: Decision;
    readonly who: string;
    readonly scope: Scope;
    /** The question whose longer answer this one follows from. */
    readonly with?: string;
    readonly pickUp: AnswerUse;
  } | null;
}

export interface ToldView {
  /** The name in the configuration. */
  readonly name: string;
  readonly at: string;
  /** Why it failed; absent if it went. */
  readonly problem?: string;
}

export interface OfferView {
  readonly decision: Offer["decision"];
  readonly scope: Offer["scope"];
  /** One line that says what the answer allows, and for how long. */
  readonly meaning: string;
  /** What would be remembered, one rule a line, in the syntax of `sallyport policy add`, which a person can edit. */
  readonly rules: readonly string[];
  /** What each rule allows, in plain words. */
  readonly opens: readonly string[];
  /** The sets of hosts that the answer is for. Such an answer is sent with its rules. */
  readonly sets?: Offer["sets"];
  /** How many other waiting questions it answers as well; absent if none. */
  readonly also?: number;
  /** Ready-made widths of its rules; absent if there is only the one that is offered. */
  readonly widths?: readonly WidthView[];
}

export interface WidthView {
  readonly width: ReadyWidth;
  /** As in the offer. */
  readonly rules: readonly string[];
  readonly opens: readonly string[];
}

/** `POST /api/questions/:id/also`: which other waiting questions an answer would answer as well. Changes nothing. */
export interface AlsoRequest {
  readonly decision: "allow" | "deny";
  readonly scope: Scope;
  /** The rules as the person has edited them, one a line. */
  readonly rules: readonly string[];
}

export interface AlsoView {
  readonly count: number;
  /** The first ones. */
  readonly questions: readonly AlsoRow[];
  /** Why the rules cannot be kept; absent if they can. */
  readonly problem?: string;
}

export interface AlsoRow {
  readonly id: string;
  readonly title: string;
  readonly session: string;
}

/** A file of a diff without its hunks; or one part of a file that has no hunks but content that would land. */
export interface FileView extends DiffFileFacts {
  /** The number of lines in all hunks, for the layout of the page. */
  readonly lines: number;
  /** Whether both sides can be fetched as pictures: `…/files/:n/before` and `…/files/:n/after`, if they exist. */
  readonly isPicture: boolean;
  /** Counted from 0. Its lines are those of the new content, not compared with the old. */
  readonly part?: { readonly at: number; readonly of: number };
}

/** `GET /api/questions/:id/files/:n` and `GET /api/staged/:id/files/:n`, n counted from 0. */
export interface FileHunks {
  readonly hunks: readonly DiffHunk[];
  /** The number of lines in the new file; absent if the unchanged ones cannot be fetched. */
  readonly newLines?: number;
}

/** `…/files/:n/lines?from=&to=`: unchanged lines by their new numbers, counted from 1; `to` is exclusive. */
export interface ContextLines {
  readonly lines: readonly DiffLine[];
}

/** `GET /api/staged/:id`. */
export interface StagedView extends StagedRow {
  readonly view: readonly FileView[];
}

/** `POST /api/questions/:id/answer`. 409 if the question was answered meanwhile, or differs from what was shown. */
export interface AnswerRequest {
  readonly decision: "allow" | "deny";
  readonly scope: Scope;
  /** The digest of the question as it was shown. */
  readonly digest: string;
  readonly reason?: string | undefined;
  /** Comments on lines of the diff, for a no. They follow the reason. */
  readonly comments?: readonly ReviewComment[] | undefined;
  /** The offer's rules as the person edited them, one a line; absent if unchanged. */
  readonly rules?: readonly string[] | undefined;
  /** Whether it answers the other questions as well that the page has shown. */
  readonly answersOthers?: boolean | undefined;
}

export interface AnswerTaken {
  readonly decision: "allow" | "deny";
  readonly scope: Scope;
  readonly note: string | null;
  /** How many other questions it answered; absent if none. */
  readonly also?: number;
  /** What has happened to the answer so far. The question reports what happens later. */
  readonly pickUp: AnswerUse;
}

/** `GET /api/log?before=&after=&limit=&text=&tool=&event=&agent=&session=&since=&until=`. Newest first. */
export interface LogPage {
  readonly entries: readonly LogRow[];
  /** The value of `before` for the next page; null if this is the last. */
  readonly next: number | null;
}

/** An entry as a line of the timeline. */
export interface LogRow extends EntryLabels {
  /** One line: the command, the path, the refusal, or what the question was about. */
  readonly summary: string;
  /** The severity of a question. */
  readonly severity?: Severity;
  /** What was searched for, with the text around it, if the summary does not have it. */
  readonly found?: string;
}

/** `GET /api/calls/:id`: everything about one call, in order. */
export interface CallStory {
  readonly id: string;
  readonly entries: readonly Entry[];
}

/** `GET /api/stats`. */
export interface StatsView extends JournalStats {
  /** Calls and refusals of each hour (UTC) that had any, oldest first, at most the last 168 hours. */
  readonly hours: readonly { readonly hour: string; readonly calls: number; readonly refused: number }[];
}

/** `GET /api/sessions`. Newest first. */
export interface SessionsView {
  readonly sessions: readonly SessionRow[];
  /** Answers and rules that are valid beyond one session. */
  readonly remembered: readonly RememberedRow[];
}

export interface SessionRow {
  readonly name: string;
  readonly agent: string;
  readonly calls: number;
  readonly refused: number;
  readonly first: string;
  readonly last: string;
  readonly answers: readonly RememberedRow[];
}

/** `DELETE /api/remembered/:scope/:id` revokes it. */
export interface RememberedRow {
  readonly id: string;
  readonly scope: "session" | "project" | "everywhere";
  readonly decide: Decision;
  readonly rule: string;
  readonly agent: string | null;
  readonly by: string | null;
  readonly added: string | null;
  readonly expires: string | null;
}
