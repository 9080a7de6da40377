// The messages between the side panel and the gate in the browser about a person's work there: types only, shared by both.
// What both gates have (queue, question, diff, log, answers) is in api.ts and has the same routes.
// Invariant: no message to the panel has a token or a key in it.

import type { Json } from "../shared/json.ts";
import type { FileView as ChangedFile } from "./api.ts";

/**
 * `GET /api/work`, and the same as an event `work` of `GET /api/events` when it changes. 503 `held`: another window of this
 * browser has the gate, and this one asks again.
 */
export interface WorkState {
  readonly settings: WorkSettings;
  /** Who is signed in to GitHub. Null: nobody. The token lives as long as the browser runs. */
  readonly account: { readonly login: string } | null;
  readonly signIn: SignInState | null;
  readonly open: OpenRepository | null;
  /** While a draft is being opened. Absent: none is. */
  readonly opening?: OpeningState | null;
  /** Null: no agent has worked in this draft. */
  readonly agent: AgentState | null;
  readonly storage: StorageState;
}

/** `PUT /api/work/settings` with what should change. */
export interface WorkSettings {
  /** Of an app at GitHub with the device flow enabled. Null: none was given yet. */
  readonly clientId: string | null;
  /** `https://github.com`, or an Enterprise server's page. */
  readonly githubUrl: string;
  readonly model: ModelSettings | null;
}

export interface ModelSettings {
  readonly provider: "anthropic" | "openai" | "google";
  readonly name: string;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  readonly hasKey: boolean;
}

/** `PUT /api/work/key`. The key is kept as long as the browser runs, and is sent to the model's address alone. */
export interface KeyRequest {
  readonly key: string;
}

/** `POST /api/work/sign-in` begins, `DELETE /api/work/sign-in` ends it, and signs out. */
export type SignInState =
  | { readonly kind: "waiting"; readonly userCode: string; readonly verificationUrl: string; readonly until: string }
  | { readonly kind: "refused"; readonly message: string; readonly hint: string | null };

/** `GET /api/work/repositories?search=`: those that the person may push to, the last pushed first. */
export interface RepositoryList {
  readonly repositories: readonly {
    readonly name: string;
    readonly defaultBranch: string;
    readonly isPrivate: boolean;
  }[];
  readonly hasMore: boolean;
}

/** `GET /api/work/branches?repository=owner/name` */
export interface BranchList {
  readonly branches: readonly string[];
  readonly hasMore: boolean;
}

/** `POST /api/work/open`: begins a draft. Answers when it was asked about and pulled. A draft with changes is not replaced. */
export interface OpenRequest {
  readonly repository: string;
  readonly branch: string;
}

export interface OpeningState extends OpenRequest {
  /** Of the archive of the branch, read so far. Absent: none is being read. */
  readonly bytes?: number;
  /** Files stored so far. */
  readonly files: number;
  /** Null: not known yet. */
  readonly total: number | null;
}

/** `DELETE /api/work/open`: discards the draft, with what it has that was not pushed. */
export interface OpenRepository extends OpenRequest {
  readonly session: string;
  readonly commit: string;
  /** Files that differ from that commit. */
  readonly changed: number;
}

/** `GET /api/work/files`: every file of the draft, in order of their paths. */
export interface FileList {
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly change: "added" | "modified" | null;
  }[];
  readonly removed: readonly string[];
}

/** `GET /api/work/file?path=`. Null text: the file is not text, or is too large to edit. */
export interface DraftFile {
  readonly path: string;
  readonly text: string | null;
  readonly bytes: number;
  /** The hash of what was read. A write names it, and is refused if the file has changed since. */
  readonly hash: string;
}

/**
 * `PUT /api/work/file`: what the person has edited, as a call of `write_file`. Answers with the gate's reply; its error is
 * `changed`, and nothing is written, if the file has another hash by now.
 */
export interface FileEdit {
  readonly path: string;
  readonly text: string;
  /** Null: there must be no such file. */
  readonly hash: string | null;
}

/**
 * `GET /api/work/changes`: how the draft differs from its commit. Its files are at `/api/work/changes/:digest/files/:n`, as
 * those of a question are; 404 if the draft has other changes by now.
 */
export interface DraftChangeList {
  readonly digest: string;
  readonly view: readonly ChangedFile[];
}

/** `POST /api/work/call`: a call of a tool in the draft's session, made by the person. Answers with the gate's reply, whatever it is. */
export interface CallMessage {
  readonly tool: string;
  readonly arguments: { readonly [name: string]: Json };
}

/** `POST /api/work/agent` gives the agent a task; `DELETE /api/work/agent` stops it. */
export interface AgentRequest {
  readonly task: string;
}

export interface AgentState {
  readonly isRunning: boolean;
  /** Why it stopped, if not because it was done. */
  readonly problem: string | null;
  readonly lines: readonly AgentLine[];
}

/** What the agent was told, said and did, oldest first; the longest texts are cut. */
export type AgentLine =
  | { readonly kind: "task" | "text"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly summary: string; readonly ok: boolean | null };

export interface StorageState {
  readonly usedBytes: number;
  readonly quotaBytes: number | null;
  /** Whether the browser has promised not to remove it. */
  readonly isPersisted: boolean;
  /** A change did not fit. Until there is room again, what is left is for the record and for a push. */
  readonly isFull?: boolean;
  /** What the gate found when it opened, until the person has read it. */
  readonly damage?: StorageDamage | null;
}

/**
 * `evicted`: everything that the extension had stored is gone. `gone`: the files of the draft are. `unreadable`: they cannot be opened, and
 * `why`. `cut`: they end in the middle of a change, of which so many bytes were left out. `DELETE /api/work/damage`: the person has read it.
 */
export type StorageDamage =
  | { readonly kind: "evicted"; readonly draft: OpenRequest | null }
  | { readonly kind: "gone"; readonly draft: OpenRequest }
  | { readonly kind: "unreadable"; readonly draft: OpenRequest; readonly why: string }
  | { readonly kind: "cut"; readonly draft: OpenRequest; readonly bytes: number };
