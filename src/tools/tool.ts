// A tool: a schema for its arguments, a plan of what the call would do, and how to read what came of it.
// Invariant: a tool decides nothing. It never sees a grant, an approver or a process.

import type { z } from "zod";
import type { DiffFile } from "../action/diff-file.ts";
import type { Operation, PushAction, Step, ViewLink } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import type { LandingRight, Targets } from "../git/publish/push/opened-target.ts";
import type { SessionCommits } from "../git/publish/push/session-commits.ts";
import type { Capability } from "../policy/capability.ts";
import type { Outcome, Quarantined } from "../process/outcome.ts";
import type { Failure } from "../shared/failure.ts";
import type { Hashes } from "../shared/hash.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspaceLocation } from "../workspace/location.ts";
import type { WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface PlanContext {
  readonly agent: string;
  readonly capability: Capability;
  readonly project: string;
  /** The person's own: what `~` means. */
  readonly home: string;
  readonly workspace: WorkspaceLocation;
  /** Directories of the machine that programs see in it. */
  readonly mounts: readonly { readonly source: string; readonly target: string }[];
  /** The workspace's files, as far as the agent may see and change them. */
  readonly files: Workspace;
  /** Real places, in what the agent may change, that names which others execute later lead to. */
  readonly executedTargets: () => readonly string[];
  readonly hashes: Hashes;
  /** The real path of a program by name or path; null: there is none. */
  readonly findProgram: (name: string) => string | null;
  /** What the configuration adds to Shell's own lists. */
  readonly shell: { readonly programs: readonly string[]; readonly sensitivePaths: readonly string[] };
  /** Names that lead to the agent's granted paths. */
  readonly links: readonly ViewLink[];
}

/** What a call would do: start programs, or have the gate work on the workspace, or have the gate land a push. */
export type Plan = ProgramPlan | WorkPlan | PushPlan;

/** What the call needs of the machine. What the agent's grants do not cover of it is asked about. */
export interface ProgramPlan {
  readonly kind: "programs";
  /** None: the tool answers from what it knows already. */
  readonly steps: readonly Step[];
  /** Real paths that must be in view: the program, the working directory. */
  readonly reads: readonly string[];
  /** Links by which the call named them. */
  readonly links: readonly ViewLink[];
  readonly access: BoxAccess;
  /** `granted`: where the agent has it; `needed`: it cannot do without the network of this machine. */
  readonly network: "none" | "granted" | "needed";
  /** What can be told beforehand of what the steps would do in turn. */
  readonly effects: readonly Effect[];
  /** Where its steps start; the gate checks it once the call is granted, before anything starts. null: always usable. */
  readonly startsIn: { problem(): Promise<Failure | null> } | null;
  /** Whether the steps after one that did not end with 0 are left out. */
  readonly stopsAtFailure: boolean;
  /** What the caller is told. One outcome a step that was started, in order. */
  read(
    outcomes: readonly StepOutcome[],
    workspace: Workspace,
  ): Record<string, unknown> | Promise<Record<string, unknown>>;
}

export type BoxAccess =
  /** The box changes nothing, whatever the agent's grants say. It may still need to read the workspace. */
  | { readonly mode: "r"; readonly seesWorkspace: boolean }
  /** What the grants say; and `writes`, real paths that must be in view, to be changed. */
  | { readonly mode: "rw"; readonly writes: readonly string[] };

/** What the gate itself does on the workspace, where no program is started. */
export interface WorkPlan {
  readonly kind: "work";
  readonly operation: Operation;
  readonly effects: readonly Effect[];
  /** Which entry of the workspace it is about, links followed. */
  readonly entry: (workspace: Workspace) => Promise<Result<WorkspacePath>>;
  readonly run: (workspace: Workspace) => Promise<Result<Record<string, unknown>>>;
  /** Called once what it changed in the workspace is saved, and only then. null: nothing is left to do then. */
  readonly saved: (() => void) | null;
  /** The part of it that needs no yes: done instead, once that yes was refused or nobody could give it. null: none. */
  readonly lesser: ((refused: Failure) => WorkPlan) | null;
}

/** What the gate lands in a repository outside. */
export interface PushPlan {
  readonly kind: "push";
  readonly operation: Operation;
  readonly effects: readonly Effect[];
  /** What it would push, and how that looks beside the target. null: a push that was agreed to before, and interrupted. */
  readonly push: { readonly action: PushAction; readonly diff: readonly DiffFile[] } | null;
  readonly land: (right: LandingRight) => Promise<Result<Record<string, unknown>>>;
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

interface ToolDescription<Arguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly arguments: z.ZodType<Arguments>;
  readonly result: z.ZodType;
}

type Planned = Result<Plan> | Promise<Result<Plan>>;

/** Plans from the call and its context alone: nothing is started, and nobody is asked, before the plan is judged. */
export interface PlainTool<Arguments> extends ToolDescription<Arguments> {
  readonly needs?: undefined;
  plan(args: Arguments, context: PlanContext): Planned;
}

/** Works with what the session has staged and pulled. Planning starts nothing and asks nobody, either. */
export interface CommitTool<Arguments> extends ToolDescription<Arguments> {
  readonly needs: "commits";
  plan(args: Arguments, context: PlanContext, commits: SessionCommits): Planned;
}

/**
 * Its plan needs facts of a repository outside. While it is planned, git reads that repository in a box; and before another
 * machine is contacted, a person may be asked. Each of that is judged, granted and recorded on its own, before the plan is.
 */
export interface TargetTool<Arguments> extends ToolDescription<Arguments> {
  readonly needs: "targets";
  plan(args: Arguments, context: PlanContext, commits: SessionCommits, targets: Targets): Planned;
}

export type Tool<Arguments = unknown> = PlainTool<Arguments> | CommitTool<Arguments> | TargetTool<Arguments>;
