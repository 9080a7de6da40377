// An Action is the most that a call may do on this machine. It is the one value that is judged, shown to
// the person, enforced by the box and written down.
// Invariant: deeply frozen. The digest covers every field. The caller's id, the time and the session are not part of it.

import type { RunLimits } from "../shared/run-limits.ts";
import type { Effect } from "./effect.ts";

/** A text that the gate puts in the place of a file that the box shows; or a file of the machine at another path of the box. */
export type ViewFile =
  | { readonly path: string; readonly content: string; readonly isProgram?: true }
  | { readonly path: string; readonly source: string };

/** One program start. An action has any number of steps; the gate starts them in order under one grant. */
export interface Step {
  /** The real path of the program. This is what the policy judged. */
  readonly program: string;
  /** argv[0] is the name that the program is started by. It resolves to `program`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment, sorted by name. The program inherits nothing. */
  readonly environment: readonly (readonly [name: string, value: string])[];
  readonly stdin: string | null;
  readonly timeoutMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** What the gate puts in the place of files that the box shows. */
  readonly files: readonly ViewFile[];
}

export interface ViewPath {
  readonly path: string;
  readonly mode: "r" | "rw";
  /** Globs below `path`: the box hides the matching files. A glob with the prefix `untracked:` does not hide files listed in `shown`. */
  readonly hide: readonly string[];
  readonly shown?: readonly string[];
}

/** What the box shows at /workspace. */
export type WorkspaceView =
  | { readonly kind: "scratch" } // empty, in memory, gone after the call
  | { readonly kind: "memory" } // the session's files; where they are laid is not part of what is judged
  | { readonly kind: "directory"; readonly path: string } // one of the view's paths, under a second name
  | { readonly kind: "draft"; readonly path: string }; // the session's layer over this directory, also at the directory's own path

/** A directory of the view that the box also shows inside the workspace, read-only. */
export interface ViewMount {
  readonly source: string;
  readonly target: string;
}

/** A link in the box that leads to a path of the view, so that programs find it under the name that the call used. */
export interface ViewLink {
  readonly path: string;
  readonly target: string;
}

/** Everything that the program sees of the machine beyond the base view, as real paths. */
export interface View {
  readonly paths: readonly ViewPath[];
  readonly links: readonly ViewLink[];
  readonly workspace: WorkspaceView;
  readonly mounts?: readonly ViewMount[];
  /** Real paths of files that other programs execute later and that this action may change, because a person allowed it. */
  readonly opens?: readonly string[];
  readonly network: ViewNetwork;
}

/**
 * `host`: the network of this machine. `hosts`: what the agent's grants and the rules allow, and the hosts that the call names, as
 * `host:port`; a person is asked about any other when a program connects to it.
 */
export type ViewNetwork = "none" | "host" | { readonly hosts: readonly string[] };

/** A program or script that the agent can change, with the hash of its content when it was judged. */
export interface FileContent {
  readonly path: string;
  readonly sha256: string;
}

/** A file that others execute later, as a finished call wrote it and as it would land. */
export interface LateFile {
  /** A real path. */
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  /** `link`, or the permissions as octal digits. Null if it is deleted. */
  readonly mode: string | null;
  /** The whole content, or the target of a link. Null if it is deleted. */
  readonly text: string | null;
}

/** What the gate does itself, in an action that starts no program. */
export interface Operation {
  readonly name: string;
  /** As a `/workspace` path. */
  readonly path: string;
  readonly mode: "r" | "rw";
  /** Other facts that the digest must cover, such as the hash of the bytes to be written. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  /** What a finished call wrote and what waits for a yes. */
  readonly late?: readonly LateFile[];
}

/** What a push would land, and where. An approval is bound to all of it; the commit's id covers every byte. */
export interface PushAction {
  /** The real path, or the URL that git uses. */
  readonly place: string;
  readonly branch: string;
  readonly isNewBranch: boolean;
  /** What a new branch is built on; absent if the branch exists or the repository is empty. */
  readonly newOn?: PushBase | undefined;
  readonly isProtected: boolean;
  readonly oldCommit: string | null;
  /** The last commit, if there are several. */
  readonly commit: string;
  /** Its message as it lands, with the trailer that names the agent. */
  readonly message: string;
  readonly author: string;
  /** The commits of a series, oldest first. Absent if one commit lands. */
  readonly commits?: readonly PushCommit[] | undefined;
  /** What all of it changes. */
  readonly files: readonly PushFile[];
  /** Warnings for the reviewer, such as settings that other programs execute, or large files. */
  readonly warnings: readonly string[];
  /** True if a file is not what it looks like: binary, UTF-16, a misleading name, or text after very many blank lines. */
  readonly isDisguised?: boolean;
}

/** One commit of a series, under the id that lands. */
export interface PushCommit {
  readonly commit: string;
  readonly message: string;
  readonly files: readonly PushFile[];
}

export interface PushBase {
  /** null if no branch is checked out there. */
  readonly branch: string | null;
  readonly commit: string;
  /** Commits that the new branch has and the default branch does not; null if there are none or it is unknown. */
  readonly along: {
    readonly missingFrom: string;
    readonly count: number;
    /** True if counting stopped early, so that `count` is a minimum. */
    readonly isMore: boolean;
    /** The subjects of the newest commits. */
    readonly subjects: readonly string[];
  } | null;
}

export interface PushFile {
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  /** The new size in bytes. */
  readonly size: number;
}

/** An action before it is sealed. */
export interface UnsealedAction {
  readonly tool: string;
  readonly agent: string;
  readonly steps: readonly Step[];
  /** null for an action that starts programs. */
  readonly operation: Operation | null;
  readonly push?: PushAction | undefined;
  readonly contents: readonly FileContent[];
  /** Whether the gate skips the remaining steps after one that did not exit with 0. */
  readonly stopsAtFailure: boolean;
  /** What the programs wrote lands even if they did not end by themselves, because the caller asked for it. */
  readonly keepsPartial?: true;
  readonly view: View;
  readonly effects: readonly Effect[];
  readonly limits: RunLimits;
}

export interface Action extends UnsealedAction {
  readonly digest: string;
}
