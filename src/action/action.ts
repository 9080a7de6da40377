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
  /** Globs below `path` whose files stay out of sight. */
  readonly hide: readonly string[];
}

/** What stands at /workspace in the box. */
export type WorkspaceView =
  | { readonly kind: "scratch" } // empty, in memory, gone after the call
  | { readonly kind: "directory"; readonly path: string };

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
  readonly network: "none" | "host";
}

export interface Action {
  readonly tool: string;
  readonly agent: string;
  readonly steps: readonly Step[];
  /** Whether the steps after one that did not end with 0 are left out. */
  readonly stopsAtFailure: boolean;
  readonly view: View;
  readonly effects: readonly Effect[];
  readonly limits: RunLimits;
  readonly digest: string;
}

export type ActionDraft = Omit<Action, "digest">;
