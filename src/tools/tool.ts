// A tool: a schema for its arguments, a plan of what the call would do, and a way to turn the outcomes into a result.
// Invariant: a tool decides nothing. It never sees a grant, an approver or a process.

import type { z } from "zod";
import type { DiffFile } from "../action/diff-file.ts";
import type { Operation, PushAction, Step, ViewLink } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import type { LandingRight, Targets } from "../git/publish/push/opened-target.ts";
import type { RepositorySearch } from "../git/repository.ts";
import type { SessionCommits } from "../git/publish/push/session-commits.ts";
import type { HostUse } from "../network/host-use.ts";
import type { Capability } from "../policy/capability.ts";
import type { Outcome } from "../process/outcome.ts";
import type { ResolvedPath } from "../process/real-path.ts";
import type { Failure } from "../shared/failure.ts";
import type { Hashes } from "../shared/hash.ts";
import type { Result } from "../shared/result.ts";
import type { Shape } from "../shared/shape.ts";
import type { WorkspaceLocation } from "../workspace/location.ts";
import type { WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface PlanContext {
  readonly agent: string;
  readonly capability: Capability;
  /** What a box has if its call asks for nothing more: no network, single hosts, or the network of the machine. */
  readonly network: "none" | "hosts" | "host";
  readonly project: string;
  /** The person's home directory, which `~` means. */
  readonly home: string;
  readonly workspace: WorkspaceLocation;
  /** Directories of the machine that programs see in the workspace. */
  readonly mounts: readonly { readonly source: string; readonly target: string }[];
  /** The workspace's files, limited to what the agent may see and change. */
  readonly files: Workspace;
  /** Real paths in writable directories to which links with names that other programs execute later lead. */
  readonly executedTargets: () => readonly string[];
  readonly hashes: Hashes;
  readonly programs: ProgramSearch;
  readonly disk: DiskPaths;
  /** The name of the person, as programs see it. */
  readonly user: string;
  /** What the configuration adds to Shell's built-in lists. */
  readonly shell: { readonly programs: readonly string[]; readonly sensitivePaths: readonly string[] };
  /** Links that lead to the agent's granted paths. */
  readonly links: readonly ViewLink[];
  /** The repository with this root, a real path. */
  readonly repositoryAt: (root: string) => RepositoryInView;
}

export interface RepositoryInView extends RepositorySearch {
  /** Whether it is part of the workspace, so that a box must show the workspace. */
  readonly isInWorkspace: boolean;
}

/** The paths of the machine. */
export interface DiskPaths {
  resolve(path: string): ResolvedPath;
  isDirectory(path: string): boolean;
}

/** What the names of programs mean in the agent's boxes. */
export interface ProgramSearch {
  /** PATH of a box of Bash, Python or Shell. The agent can change none of these directories. */
  directories(): readonly string[];
  /** The real path of a program in a box with this PATH, given its name or path. Null if there is none. */
  find(name: string, path: readonly string[]): string | null;
  /** The path by which a box with this PATH finds the program, links unresolved. Null if there is none of that name. */
  inBox(name: string, path: readonly string[]): string | null;
  /** The directories of programs that every box has. */
  fixed(): readonly string[];
  /** Whether the agent can change none of the directories. */
  isFixed(path: readonly string[]): boolean;
  /** Where the person's own PATH has a program that no grant covers. Null if it has none. */
  elsewhere(name: string): MissingProgram | null;
}

export interface MissingProgram {
  readonly path: string;
  /** The directories to grant with mode `r` so that the program runs. */
  readonly grants: readonly string[];
}

/** What a call would do: start programs, let the gate work on the workspace, or let the gate land a push. */
export type Plan = ProgramPlan | WorkPlan | PushPlan;

/** What the call needs of the machine. The gate asks for what the agent's grants do not cover. */
export interface ProgramPlan {
  readonly kind: "programs";
  /** Empty if the tool answers without starting a program. */
  readonly steps: readonly Step[];
  /** Real paths that the box must show: the program, the working directory. */
  readonly reads: readonly string[];
  /** Links through which the call named these paths. */
  readonly links: readonly ViewLink[];
  readonly access: BoxAccess;
  /**
   * `granted`: use the network as far as the agent has it. `needed`: the call cannot work without the machine's network. `hosts`: it also
   * needs these hosts, each with its port; without any, a network of its own in which the gate listens.
   */
  readonly network: "none" | "granted" | "needed" | { readonly hosts: readonly string[] };
  /** `work`: the limits that builds and test suites need. Absent: those of single programs. */
  readonly limits?: "work";
  /** Effects of the steps that can be known before they run. */
  readonly effects: readonly Effect[];
  /** The directory in which the steps start. The gate checks it after the grant and before the first start. Null if it is always usable. */
  readonly startsIn: { problem(): Promise<Failure | null> } | null;
  /** Whether the gate skips the remaining steps after one that did not exit with 0. */
  readonly stopsAtFailure: boolean;
  /** Whether what the programs wrote lands even if they do not end by themselves. */
  readonly keepsPartial?: boolean;
  /** Makes the result for the caller, from one outcome per started step, in order. */
  read(
    outcomes: readonly StepOutcome[],
    workspace: Workspace,
  ): Record<string, unknown> | Promise<Record<string, unknown>>;
}

export type BoxAccess =
  /** The box can change nothing, whatever the agent's grants say. It may still show the workspace. */
  | { readonly mode: "r"; readonly seesWorkspace: boolean }
  /** The box can change what the grants allow, and `writes`: real paths that the box must show writable. */
  | { readonly mode: "rw"; readonly writes: readonly string[] };

/** Work that the gate itself does on the workspace, without starting a program. */
export interface WorkPlan {
  readonly kind: "work";
  readonly operation: Operation;
  readonly effects: readonly Effect[];
  /** The workspace entry that the work is about, with links resolved. */
  readonly entry: (workspace: Workspace) => Promise<Result<WorkspacePath>>;
  readonly run: (workspace: Workspace) => Promise<Result<Record<string, unknown>>>;
  /** The gate calls this after it has saved the changed workspace. Null if nothing is left to do then. */
  readonly saved: (() => void) | null;
  /** A smaller plan that needs no yes. The gate does it instead if the yes was refused or nobody could give it. Null if there is none. */
  readonly reduced: ((refused: Failure) => WorkPlan) | null;
}

/** A push that the gate lands in a repository outside the workspace. */
export interface PushPlan {
  readonly kind: "push";
  readonly operation: Operation;
  readonly effects: readonly Effect[];
  /** What would be pushed, and its diff against the target. Null for an interrupted push that a person had already allowed. */
  readonly push: { readonly action: PushAction; readonly diff: readonly DiffFile[] } | null;
  /** A person has looked at the push, and said no. */
  readonly denied?: () => void;
  readonly land: (right: LandingRight) => Promise<Result<Record<string, unknown>>>;
}

/** A workspace file that a run changed. */
export interface Artifact {
  /** Written with `/workspace`. */
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  readonly size: number;
}

/** A file that a run left in the workspace and that the workspace cannot keep. */
export interface NotKept {
  readonly path: string;
  readonly reason: string;
}

/** How one step ended. */
export interface StepOutcome {
  readonly step: Step;
  readonly outcome: Outcome;
  readonly artifacts: readonly Artifact[];
  readonly notKept: readonly NotKept[];
  /** Absent if the program could reach no single hosts. */
  readonly network?: StepNetwork;
}

/** What a program reached of the network, and what it did not. */
export interface StepNetwork {
  /** False if nothing was allowed, so that the box had no network at all. */
  readonly isOpen: boolean;
  readonly uses: readonly HostUse[];
  /** Names that it looked up, and to which it did not connect on a port that the box listens on. */
  readonly unreached: readonly string[];
}

/** What is true of every call of the tool. Clients use it to decide how to treat the tool. */
export interface ToolHints {
  /** The tool changes nothing, neither in the workspace nor outside. */
  readonly readOnly: boolean;
  /** The tool can remove or replace existing content. */
  readonly destructive: boolean;
  /** Repeating the same call changes nothing more. */
  readonly idempotent: boolean;
  /** Whether the tool can reach other machines: `granted` if the agent has the network, `asked` also if a call asks for it. */
  readonly openWorld: "never" | "granted" | "asked" | "always";
}

interface ToolDescription<Arguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly arguments: z.ZodType<Arguments>;
  /** `shapeOf(arguments)`. With it, arguments that are right are accepted without the schema, which may be slow to load. */
  readonly shape?: Shape;
  readonly result: z.ZodType;
}

type Planned = Result<Plan> | Promise<Result<Plan>>;

/** Plans from the call and its context alone. Planning starts nothing and asks nobody. */
export interface PlainTool<Arguments> extends ToolDescription<Arguments> {
  readonly needs?: undefined;
  plan(args: Arguments, context: PlanContext): Planned;
}

/** Works with the session's staged commits and pulled files. Planning starts nothing and asks nobody. */
export interface CommitTool<Arguments> extends ToolDescription<Arguments> {
  readonly needs: "commits";
  plan(args: Arguments, context: PlanContext, commits: SessionCommits): Planned;
}

/**
 * Its plan needs facts about a repository outside the workspace. During planning, git reads that repository in a box, and a person may
 * be asked before the gate contacts another machine. Each of these is judged, granted and recorded separately, before the plan.
 */
export interface TargetTool<Arguments> extends ToolDescription<Arguments> {
  readonly needs: "targets";
  plan(args: Arguments, context: PlanContext, commits: SessionCommits, targets: Targets): Planned;
}

export type Tool<Arguments = unknown> = PlainTool<Arguments> | CommitTool<Arguments> | TargetTool<Arguments>;
