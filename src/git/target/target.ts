// A target: a repository outside the box in which commits can land, and from which files can be pulled.
// Invariant: a push is bound to the state that `readState` returned: `land` changes nothing unless the branch is still at that commit.

import type { PushBase } from "../../action/action.ts";
import type { Failure } from "../../shared/failure.ts";
import { fail, type Result } from "../../shared/result.ts";
import type { GitObject, ObjectFormat, ObjectId } from "../publish/object.ts";
import type { TreeEntry } from "../publish/tree-entry.ts";

/** A target as a call or the configuration names it. */
export type GitTarget =
  | { readonly type: "local"; readonly path: string; readonly branch?: string | undefined }
  | { readonly type: "local-bare"; readonly path: string; readonly branch?: string | undefined }
  | { readonly type: "github"; readonly repo: string; readonly branch?: string | undefined }
  | { readonly type: "remote"; readonly url: string; readonly branch?: string | undefined };

/** The current state of a target: everything that a person must see and that a push is bound to. */
export interface TargetState {
  /** The real path, or the URL that git or the gate contacts. */
  readonly address: string;
  readonly format: ObjectFormat;
  readonly branch: string;
  readonly defaultBranch: string | null;
  /** The commit of the branch; null if there is no branch of that name. */
  readonly oldCommit: ObjectId | null;
  /** The parent of a new commit: the branch's commit, or for a new branch the one in `newOn`. Null if the repository is empty. */
  readonly baseCommit: ObjectId | null;
  readonly baseTree: ObjectId | null;
  /** Work trees in which the branch is checked out. Their files change when a commit lands. */
  readonly checkedOut: readonly string[];
  /** The base of a branch that does not exist yet. Absent if the branch exists, or the repository is empty. */
  readonly newOn?: NewBranchBase | undefined;
}

/** The base of a new branch: on this machine what is checked out, on other machines the default branch. */
export type NewBranchBase = PushBase;

export interface Landing {
  readonly state: TargetState;
  /** The last of the commits. */
  readonly commit: ObjectId;
  /** The commits and their new trees and blobs, each once. */
  readonly objects: readonly GitObject[];
  /** The commits, oldest first: at least one. */
  readonly steps: readonly LandedStep[];
  /** The files that differ from the base in the end. */
  readonly changes: readonly LandedFile[];
}

export interface LandedStep {
  readonly commit: ObjectId;
  /** The files that differ from the commit before. */
  readonly changes: readonly LandedFile[];
}

export interface LandedFile {
  readonly path: string;
  /** Null if the file did not exist. */
  readonly before: { readonly mode: string; readonly id: ObjectId } | null;
  /** Null if the file is deleted. */
  readonly after: { readonly mode: string; readonly id: ObjectId; readonly content: Uint8Array } | null;
}

export interface TargetReading {
  readonly state: TargetState;
  /** The entries of a directory of the base. Throws if there is no such tree. */
  readTree(id: ObjectId): Promise<readonly TreeEntry[]>;
  /** `progress`: a target that reads them all at once, which can take minutes, says how far it is. */
  readBlobs(ids: readonly ObjectId[], progress?: Progress): Promise<ReadonlyMap<ObjectId, Uint8Array>>;
  /** Sizes in bytes. Absent if the target cannot measure blobs without reading them. */
  measureBlobs?(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, number>>;
}

/** The branch of another machine is not where it was when the push was planned. */
export function branchMoved({ branch, address, oldCommit }: TargetState, now: ObjectId | null): Result<never> {
  const was = oldCommit === null ? "was not there" : `was at ${oldCommit.slice(0, 12)}`;
  const is = now === null ? "is not there" : `is at ${now.slice(0, 12)}`;
  return fail("conflict", `${branch} of ${address} has moved: it ${was} and now ${is}. Nothing was pushed.`, {
    hint: "Pull what is there now, stage the change again, and push that.",
  });
}

/** `readTree` and `readBlobs` throw this if the target does not supply an object. It is not a bug in the gate. */
export class TargetReadFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super([failure.message, ...(failure.because ?? [])].join(" "));
    this.failure = failure;
  }
}

export type Progress = (done: number, total: number | null, what: string) => void;

export interface TargetAccess {
  /** `paths`: the paths that the caller will read, so that the target can read them in the same step. */
  readState(paths?: readonly string[]): Promise<Result<TargetReading>>;
  /** Fails with `conflict` if the branch has moved or a person's files are in the way. Then nothing has changed. */
  land(landing: Landing, progress: Progress): Promise<Result<undefined>>;
}
