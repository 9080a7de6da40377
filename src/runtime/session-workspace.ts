// The workspace of a session: the files that the tools see, and what programs see of them. Each kind of workspace is a class.
// `open-workspace.ts` makes it from the configuration, and no other code branches on its kind.
// Invariant: all changes of a program are in the workspace before its result is returned. Two simultaneous calls keep each other's
// files. If both change the same file, the call that ends later wins.

import type { WorkspaceView } from "../action/action.ts";
import type { ProjectPull } from "../git/draft/project-pull.ts";
import type { ChangedInProject } from "../git/publish/push/session-commits.ts";
import type { Repository } from "../git/repository.ts";
import type { Progress } from "../git/target/target.ts";
import type { Capability } from "../policy/capability.ts";
import type { RunTreeChanges } from "../process/outcome.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import type { LandedEntry } from "../sandbox/layer/call-layers.ts";
import type { Result } from "../shared/result.ts";
import type { Artifact, NotKept } from "../tools/tool.ts";
import type { WorkspaceLocation } from "../workspace/location.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What an agent may do in this call. */
export interface AgentRights {
  readonly capability: Capability;
  /** Paths that other programs execute later and that a person allowed to be changed. */
  readonly opens: readonly string[];
  /** Real paths to which links with names that other programs execute later lead. */
  readonly executedTargets: () => readonly string[];
}

/** The result of importing a program's changes. */
export interface ImportedChanges {
  readonly artifacts: readonly Artifact[];
  readonly notKept: readonly NotKept[];
}

/** The fields are those of the entry `session.began`. */
export interface BegunSession {
  /** The name of the draft. */
  readonly draft: string;
  readonly project: string;
  /** Its first commit. */
  readonly base: string;
}

/** What a workspace may need at the beginning of a call. */
export interface CallStart {
  /** A dry run saves nothing. */
  readonly isDryRun: boolean;
  readonly capability: Capability;
  readonly progress: Progress;
  /** What the person ignores in all repositories, as lines of a `.gitignore` file. One character for each byte. */
  personIgnores(): string;
  /** Notes in the record that the call has begun a draft. */
  began(draft: BegunSession): void;
  /** Runs git in a box that shows the repository's directories read-only, by the rules alone. */
  readRepository(repository: Repository, words: readonly string[], stdin?: string): Promise<Result<Uint8Array>>;
  /** Runs git in a box that shows this workspace, by the rules alone. It can change the workspace, with files of any size. */
  runInside(workspace: BoxWorkspace, git: InsideGit): Promise<Result<Uint8Array>>;
}

/** What the agent is told with the result of a call. */
export interface CallNotes {
  /** What the project has since the draft began. */
  readonly behind?: string;
  /** What is unusual about the workspace, with its first call: it is in memory, or the project shows through. */
  readonly workspace?: string;
}

/** Runs git with these words, and resolves to its output. */
export type RunGit = (words: readonly string[], stdin?: string) => Promise<Result<Uint8Array>>;

export interface InsideGit {
  readonly repository: Repository;
  readonly words: readonly string[];
  readonly stdin?: string;
  /** The largest file that it may write. */
  readonly fileMb?: number;
  /** How long it may take. */
  readonly timeS?: number;
}

export interface SessionWorkspace extends WorkspaceLocation {
  /** All files, for the gate itself. */
  readonly files: Workspace;
  /** The commit with which the files are compared; null if they are compared with what was pulled. */
  readonly firstCommit: string | null;
  /** What a person has changed in the project since the draft began. Null if the workspace is none. */
  readonly inProject: ChangedInProject | null;
  /** The repository that is part of the workspace and has this root, a real path. Null if there is none. */
  repositoryAt(root: string): Repository | null;
  /** The files, limited to what the agent may see and change. */
  filesFor(rights: AgentRights): Workspace;
  /**
   * Updates what a box shows of the workspace. Null if the granted action does not show this workspace, or nothing can run here.
   * `hasLayers`: the call changes files of the machine in layers.
   */
  materialize(granted: WorkspaceView, hasLayers?: boolean): Promise<BoxWorkspace | null>;
  /**
   * Call this after a run. It applies the program's changes to the workspace. `changes`: from the box's overlay; null if it had none.
   * `landed`: what landed of the call's layers; null if it had none.
   */
  importChanges(changes: RunTreeChanges | null, landed?: readonly LandedEntry[] | null): Promise<ImportedChanges>;
  /** Brings in what the project has now. Null if the workspace is no draft of a project. */
  projectPull(call: CallStart): ProjectPull | null;
  /** Call this before a call is planned: it loads what other gates have saved in this session. */
  begin(call: CallStart): Promise<Result<CallNotes>>;
  /** Saves local changes, and loads what other gates have saved in this session meanwhile. */
  sync(): Promise<Result<undefined>>;
  close(): void;
}
