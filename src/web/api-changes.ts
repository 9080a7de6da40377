// The messages about work that has not landed: types only, shared by the page and its server.
// Invariant: as in api.ts, the page shows the strings only through the display function.

import type { ShownConflict } from "../git/publish/push/shown-conflict.ts";
import type { PushAction } from "../action/action.ts";
import type { SessionChanges } from "../runtime/session-changes.ts";
import type { SessionHost } from "../runtime/session-hosts.ts";
import type { FileView, QuestionRow } from "./api.ts";

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

/** `GET /api/changes/:name/now`: what it has besides its changes. */
export interface SessionNow {
  /** That its programs wanted to reach. The latest first. */
  readonly hosts: readonly SessionHost[];
  /** Those that wait for an answer. */
  readonly questions: readonly QuestionRow[];
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
  | {
      readonly state: "failed";
      readonly message: string;
      readonly hint?: string;
      readonly conflict?: ShownConflict;
    }
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
