// A tool: a schema for its arguments, a plan of what the call would do, and how to read what came of it.
// Invariant: a tool decides nothing. It never sees a grant, an approver or a process.

import type { z } from "zod";
import type { DiffFile } from "../action/diff-file.ts";
import type { Operation, PushAction, Step, ViewLink, WorkspaceView } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import type { Capability } from "../policy/capability.ts";
import type { Outcome, Quarantined } from "../process/outcome.ts";
import type { Failure } from "../shared/failure.ts";
import type { Hashes } from "../shared/hash.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { GitServices } from "./commits/git-services.ts";

export interface PlanContext {
  readonly agent: string;
  readonly capability: Capability;
  readonly project: string;
  /** The person's own: what `~` means. */
  readonly home: string;
  readonly workspace: WorkspaceView;
  /** Directories of the machine that programs see in it. */
  readonly mounts: readonly { readonly source: string; readonly target: string }[];
  /** The workspace's files, as far as the agent may see and change them. */
  readonly files: Workspace;
  /** Real places, in what the agent may change, that names which others execute later lead to. */
  readonly executedTargets: () => readonly string[];
  readonly git: GitServices;
  readonly hashes: Hashes;
  /** What the configuration adds to Shell's own lists. */
  readonly shell: { readonly programs: readonly string[]; readonly sensitivePaths: readonly string[] };
  /** Names that lead to the agent's granted paths. */
  readonly links: readonly ViewLink[];
}

/** What a call needs of the machine. What the agent's grants do not cover of it is asked about. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Real paths that must be in view: the program, the working directory. */
  readonly reads: readonly string[];
  /** Real paths that must be in view, to be changed. */
  readonly writes?: readonly string[];
  /** It cannot do without the network of this machine. */
  readonly needsNetwork?: boolean;
  /** What can be told beforehand of what the steps would do in turn. */
  readonly effects?: readonly Effect[];
  /** What the gate itself does on the workspace, where no program is started. */
  readonly work?: Work;
  /** What it would push, and how that looks beside the target. */
  readonly push?: { readonly action: PushAction; readonly diff: readonly DiffFile[] };
  /** Links by which the call named them. */
  readonly links: readonly ViewLink[];
  /** Where its steps start. What is wrong with it is looked at when the call is granted, before anything starts. */
  readonly place?: { problem(): Promise<Failure | null> };
  /** The part of it that needs no yes, where there is one: done instead, once that yes was refused or nobody could give it. */
  readonly lesser?: (refused: Failure) => Plan;
  /** The box changes nothing, whatever the agent's grants say. */
  readonly isReadOnly: boolean;
  /** Though it changes nothing, there may be something in the workspace for it to read. */
  readonly seesWorkspace?: boolean;
  /** The box has no network, whatever the agent's grants say. */
  readonly isOffline: boolean;
  /** Whether the steps after one that did not end with 0 are left out. */
  readonly stopsAtFailure: boolean;
  /** What the caller is told. One outcome a step that was started, in order. */
  read(
    outcomes: readonly StepOutcome[],
    workspace: Workspace,
  ): Record<string, unknown> | Promise<Record<string, unknown>>;
}

export interface Work {
  readonly operation: Operation;
  /** Which entry of the workspace it is about, links followed. Absent: the workspace as a whole. */
  readonly place?: (workspace: Workspace) => Promise<Result<WorkspacePath>>;
  readonly run: (workspace: Workspace) => Promise<Result<Record<string, unknown>>>;
  /** Once what it changed in the workspace is kept, and only then. */
  readonly kept?: () => void;
}

/** A workspace file that a run changed. */
export interface Artifact {
  /** In `/workspace` spelling. */
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  readonly size: number;
}

/** What a run left in the workspace that cannot be kept there. */
export interface NotKept {
  readonly path: string;
  readonly reason: string;
}

/** How one step ended. */
export interface StepOutcome {
  readonly step: Step;
  readonly outcome: Outcome;
  readonly quarantined: readonly Quarantined[];
  readonly artifacts: readonly Artifact[];
  readonly notKept: readonly NotKept[];
}

/** What is true of every call of the tool, for whoever decides beforehand how to treat it. */
export interface ToolHints {
  /** It changes nothing, neither in the workspace nor outside. */
  readonly readOnly: boolean;
  /** It can take away or replace what was there. */
  readonly destructive: boolean;
  /** The same call again changes nothing more. */
  readonly idempotent: boolean;
  /** It can reach other machines: where the agent has the network, or (asked) also where a call may ask for it. */
  readonly openWorld: "never" | "granted" | "asked" | "always";
}

export interface Tool<Arguments = unknown> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly arguments: z.ZodType<Arguments>;
  readonly result: z.ZodType;
  plan(args: Arguments, context: PlanContext): Result<Plan> | Promise<Result<Plan>>;
}
