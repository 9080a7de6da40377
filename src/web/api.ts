// The messages between the page and its server: types only, shared by both.
// Invariant: the server sends an agent's strings unchanged, and the page shows them only through the display function.

import type { PushAction } from "../action/action.ts";
import type { DiffFileFacts, DiffHunk, DiffLine } from "../action/diff-file.ts";
import type { Severity } from "../approval/approver.ts";
import type { Offer, Scope } from "../approval/offer.ts";
import type { AnswerUse } from "../approval/answer-use.ts";
import type { Entry, EntryLabels } from "../audit/entry.ts";
import type { JournalStats } from "../audit/journal.ts";
import type { Decision } from "../policy/decision.ts";
import type { SessionChanges } from "../runtime/session-changes.ts";

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
}

/** `GET /api/events`: server-sent events, one `state` at once and one after each change. */
export interface LiveState {
  /** Waiting questions, and staged commits that no question is about. */
  readonly waiting: number;
  readonly staged: number;
  /** Changes with the queue, an answer or a staged commit. */
  readonly version: string;
  /** The number of the newest entry of the record; 0 if there is none. */
  readonly lastSeq: number;
  /** How many sessions have work that has not landed, as far as known. */
  readonly unlanded: number;
  /** Changes with that list. */
  readonly changes: string;
}

/** `GET /api/queue`. Oldest first. If there are more than a page of them, the first ones of every agent and session. */
export interface QueueView {
  readonly questions: readonly QuestionRow[];
  /** How many more wait; absent if there are none. */
  readonly more?: number;
  /** Staged commits that no waiting question is about. */
  readonly staged: readonly StagedRow[];
  /** The command that makes a question appear here. */
  readonly demo?: string;
}

export interface QuestionRow {
  readonly id: string;
  /** ISO times. */
  readonly asked: string;
  readonly expires: string;
  readonly agent: string;
  readonly session: string;
  readonly project: string;
  readonly tool: string;
  readonly severity: Severity;
  /** One line: the command lines or the script that would start, otherwise what the action wants. */
  readonly title: string;
  /** What the question is about; absent if the title says it already. */
  readonly wants?: string;
  /** Null if it is not a push. */
  readonly push: PushSummary | null;
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
  /** Why the gate asks, one line for each effect. */
  readonly because: readonly string[];
  readonly offers: readonly OfferView[];
  readonly action: PushAction | null;
  /** Empty if it is not a push. */
  readonly files: readonly FileView[];
  readonly answered: {
    readonly decision: Decision;
    readonly who: string;
    readonly scope: Scope;
    readonly pickUp: AnswerUse;
  } | null;
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
  /** The offer's rules as the person edited them, one a line; absent if unchanged. */
  readonly rules?: readonly string[] | undefined;
}

export interface AnswerTaken {
  readonly decision: "allow" | "deny";
  readonly scope: Scope;
  readonly note: string | null;
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
  /** Whether a program is connected to the session now. */
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

/** `GET /api/changes`: what sessions have not landed. Newest first. */
export interface UnlandedView {
  readonly sessions: readonly SessionChanges[];
  /** How many more there are. */
  readonly more: number;
  /** False while the server still looks at them for the first time. */
  readonly isComplete: boolean;
  /** What was discarded within the last day, the latest first. */
  readonly discarded: readonly DiscardedRow[];
}

export interface DiscardedRow {
  readonly name: string;
  readonly session: string;
  readonly agent: string;
  readonly project: string | null;
  /** ISO times. */
  readonly discarded: string;
  readonly keptUntil: string;
}

/** `GET /api/changes/:name`. Its files are at `/api/changes/:name@:digest/files/:n`. */
export interface ChangesView extends SessionChanges {
  readonly digest: string;
  readonly view: readonly FileView[];
  readonly warnings: readonly string[];
  /** The newest commits that were made inside, oldest first. */
  readonly made: readonly { readonly id: string; readonly message: string }[];
  /** The repository in which it would land; null if nobody knows. */
  readonly place: string | null;
  /** What is proposed to the person. */
  readonly branch: string;
  readonly message: string;
}

/** `POST /api/changes/:name/land`: prepares it. Nothing lands before the answer to what is then shown. */
export interface LandRequest {
  /** Of the changes as they were shown; 409 if they are others by now. */
  readonly digest: string;
  /** `series`: the commits that were made inside. */
  readonly how: "commit" | "series" | "here";
  readonly branch?: string | undefined;
  readonly message?: string | undefined;
}

/** `GET /api/landings/:id`, and the answer to `POST …/land`. Its files are at `/api/landings/:id/files/:n`. */
export interface LandingView {
  readonly id: string;
  /** The digest of exactly what would land. */
  readonly digest: string;
  readonly how: "branch" | "here";
  readonly draft: string;
  readonly session: string;
  readonly agent: string;
  readonly project: string | null;
  readonly push: PushAction | null;
  readonly view: readonly FileView[];
  readonly warnings: readonly string[];
  /** Files that both have changed: they are merged, or get conflict marks. */
  readonly merged: readonly string[];
  readonly conflicts: readonly string[];
  readonly left: readonly LeftFile[];
  /** Null while it waits for the answer. */
  readonly end: LandingEnd | null;
}

/** A file that stays as the person has it. */
export interface LeftFile {
  readonly path: string;
  readonly why: string;
}

export type LandingEnd =
  | { readonly state: "left" }
  | { readonly state: "failed"; readonly message: string; readonly hint?: string }
  | {
      readonly state: "landed";
      readonly files: number;
      /** Null if it landed in the files, without a commit. */
      readonly commit: { readonly id: string; readonly branch: string; readonly count: number } | null;
      readonly place: string;
      readonly conflicts: readonly string[];
      readonly left: readonly LeftFile[];
      readonly notes: readonly string[];
    };

/** `POST /api/landings/:id/answer`. 409 if it was answered meanwhile, or the digest is another. */
export interface LandingAnswer {
  readonly decision: "allow" | "deny";
  readonly digest: string;
}

/** `POST /api/changes/:name/discard`. `digest`: as it was shown; null if it could not be read. */
export interface DiscardRequest {
  readonly digest: string | null;
}

/** `GET /api/machine`: what `sallyport doctor --json` prints. */
export interface MachineView {
  readonly ok: boolean;
  readonly node: string;
  readonly machine: {
    readonly architecture: string;
    readonly findings: readonly {
      readonly name: string;
      readonly held: "kernel" | "runtime" | "no";
      readonly how: string;
      /** What would enforce more; null if there is nothing. */
      readonly mend: string | null;
    }[];
    readonly bubblewrap?: { readonly path: string; readonly version: string } | null;
    readonly overlay?: boolean;
  };
  readonly sandbox: {
    readonly require: string;
    readonly problem: { readonly message: string; readonly mend: string } | null;
  };
  readonly configuration_error?: string | null;
  readonly configuration: {
    readonly file: string | null;
    readonly directory?: string;
    readonly project: string;
    readonly approvals?: { readonly mode: string; readonly timeoutS: number };
    readonly notes: readonly string[];
    readonly agents: readonly MachineAgent[];
  } | null;
}

export interface MachineAgent {
  readonly name: string;
  readonly tools: readonly { readonly name: string; readonly granted: boolean }[];
  readonly fs_grants: readonly {
    readonly path: string;
    readonly mode: "r" | "rw";
    readonly exists: boolean;
    readonly hide?: readonly string[];
  }[];
  readonly network: "none" | "hosts" | "host";
  /** One line for each host or set of hosts that is granted. */
  readonly net_grants?: readonly string[];
  readonly limits?: {
    readonly memoryMb: number;
    readonly fsizeMb: number;
    readonly nofile: number;
    readonly nproc: number;
  };
  /** Programs found on this machine that the agent cannot run yet. */
  readonly suggestions?: readonly { readonly program: string; readonly grant: string }[];
}
