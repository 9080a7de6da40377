// The state that git_status, git_diff and git_stage compare a workspace with. Each kind of workspace has its own: what was pulled, or the
// first commit of a draft.

import type { Result } from "../../../shared/result.ts";
import type { WorkspacePath } from "../../../workspace/path.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { WantedSeries } from "../../draft/session-series.ts";
import type { ObjectId } from "../object.ts";
import type { ContentBytes, FileState, StagedFile, StagedStep } from "../../staged.ts";
import type { WantedPaths } from "./wanted-paths.ts";
import type { WorkspaceDifference } from "./workspace-state.ts";

export interface ComparedBase {
  /** Leaves out what git ignores, and files that are in their settled state; null is the state of a deleted file. */
  changed(
    files: Workspace,
    wanted: WantedPaths,
    settled: ReadonlyMap<string, FileState | null>,
  ): Promise<Result<ChangedFiles>>;
  /** The files of the base at these paths. A path at which the base has no file is not in the map. */
  files(paths: readonly WorkspacePath[]): Promise<Result<ReadonlyMap<string, BaseFile>>>;
  /** Which of these paths are tracked: git ignores none of them. */
  tracked(paths: readonly WorkspacePath[]): Promise<Result<ReadonlySet<string>>>;
  /** The commits that were made in the workspace since the base. Null if nobody can make one there. */
  commits(): Promise<Result<MadeCommits | null>>;
  /** The same, with what they change. Fails if nobody can make one there. */
  series(wanted: WantedSeries): Promise<Result<SeriesToStage>>;
  /** All that such a commit has. Fails if nobody can make one there. */
  madeTree(commit: ObjectId): Promise<Result<MadeTree>>;
}

/** The agent can write what it is read from: entries may be wrong. Contents match their ids. */
export interface MadeTree {
  /** Directories, files, links and submodules, by path. */
  readonly entries: ReadonlyMap<string, { readonly mode: string; readonly id: ObjectId }>;
  /** Bytes of files. */
  read(ids: readonly ObjectId[]): Promise<Result<ReadonlyMap<ObjectId, Uint8Array>>>;
}

export interface SeriesToStage {
  readonly steps: readonly StagedStep[];
  /** What all of them change. */
  readonly files: readonly StagedFile[];
  readonly contents: readonly ContentBytes[];
}

export interface ChangedFiles {
  /** Sorted by path. */
  readonly changes: readonly WorkspaceDifference[];
  /** How many new files were left out because git ignores them. Null if nobody counted them. */
  readonly ignored: number | null;
}

export interface BaseFile {
  readonly state: FileState;
  /** For a link, its target. */
  readonly bytes: () => Uint8Array;
  /** Whether the store of staged commits has the bytes already. */
  readonly isStored: boolean;
}

export interface MadeCommits {
  readonly count: number;
  /** The newest, oldest first. */
  readonly newest: readonly { readonly id: string; readonly message: string }[];
}
