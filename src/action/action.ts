// An Action is what a call may at most do on this machine. It is the one value that is judged, shown to
// the person, enforced by the box and written down.
// Invariant: frozen, deeply. Its digest covers all of it; who called when, and in which session, is not part of it.

import type { RunLimits } from "../shared/run-limits.ts";
import type { Effect } from "./effect.ts";

/** A text of ours in the place of a file in view. */
export interface ViewFile {
  readonly path: string;
  readonly content: string;
}

/** One program start. An action may hold several, started in order under one grant; or none. */
export interface Step {
  /** The real path of the program: what was judged. */
  readonly program: string;
  /** argv[0] is the name it is started by; it leads to `program`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment, sorted by name. Nothing is inherited. */
  readonly environment: readonly (readonly [name: string, value: string])[];
  readonly stdin: string | null;
  readonly timeoutMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Texts of ours that stand in the place of files in view. */
  readonly files: readonly ViewFile[];
}

export interface ViewPath {
  readonly path: string;
  readonly mode: "r" | "rw";
  /** Globs below `path` whose files stay out of sight; one that begins with `untracked:` leaves alone what `shown` names. */
  readonly hide: readonly string[];
  readonly shown?: readonly string[];
}

/** What stands at /workspace in the box. */
export type WorkspaceView =
  | { readonly kind: "scratch" } // empty, in memory, gone after the call
  | { readonly kind: "memory" } // the session's files; where they are laid is not part of what is judged
  | { readonly kind: "directory"; readonly path: string }; // one of the view's paths, under a second name

/** A directory of the view that stands in the workspace too, to be read. */
export interface ViewMount {
  readonly source: string;
  readonly target: string;
}

/** A name that leads to a path of the view, so that programs find it under the name they were given. */
export interface ViewLink {
  readonly path: string;
  readonly target: string;
}

/** Everything of the machine that the program sees beyond the base view. Real paths. */
export interface View {
  readonly paths: readonly ViewPath[];
  readonly links: readonly ViewLink[];
  readonly workspace: WorkspaceView;
  readonly mounts?: readonly ViewMount[];
  /** Files that others execute later, and that may be changed all the same: a person said so. Real paths. */
  readonly opens?: readonly string[];
  readonly network: "none" | "host";
}

/** A program or script that the agent itself can change: what it held when it was judged. */
export interface FileContent {
  readonly path: string;
  readonly sha256: string;
}

/** What the gate itself does on the workspace, where no program is started. */
export interface Operation {
  readonly name: string;
  /** In `/workspace` spelling. */
  readonly path: string;
  readonly mode: "r" | "rw";
  /** What else matters about it, such as the hash of what would be written. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** What would land where: all that an approval of it is bound to. The commit's id stands for every byte of it. */
export interface PushAction {
  /** The real path, or the URL that is really used. */
  readonly place: string;
  readonly branch: string;
  readonly isNewBranch: boolean;
  /** What comes with a branch that is new; absent: it is not, or there is nothing to build on. */
  readonly newOn?: PushBase | undefined;
  readonly isProtected: boolean;
  readonly oldCommit: string | null;
  readonly commit: string;
  /** As it lands: with the trailer that names the agent. */
  readonly message: string;
  readonly author: string;
  readonly files: readonly PushFile[];
  /** What a person should not miss: settings that others execute, large files. */
  readonly warnings: readonly string[];
  /** Some file is other than it looks: not text, UTF-16, by its name, or text after very many blank lines. */
  readonly isDisguised?: boolean;
}

export interface PushBase {
  /** null: no branch is checked out there. */
  readonly branch: string | null;
  readonly commit: string;
  /** Commits that would be on the new branch and are not on the default one; null: none, or nobody knows. */
  readonly along: {
    readonly missingFrom: string;
    readonly count: number;
    /** Of the count, too: it was not counted to the end. */
    readonly isMore: boolean;
    /** The first lines of the newest few. */
    readonly subjects: readonly string[];
  } | null;
}

export interface PushFile {
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  /** In bytes, as it becomes. */
  readonly size: number;
}

export interface Action {
  readonly tool: string;
  readonly agent: string;
  readonly steps: readonly Step[];
  /** null: programs are started, or nothing is. */
  readonly operation: Operation | null;
  readonly push?: PushAction | undefined;
  readonly contents: readonly FileContent[];
  /** Whether the steps after one that did not end with 0 are left out. */
  readonly stopsAtFailure: boolean;
  readonly view: View;
  readonly effects: readonly Effect[];
  readonly limits: RunLimits;
  readonly digest: string;
}

export type ActionDraft = Omit<Action, "digest">;
