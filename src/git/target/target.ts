// A target: a place outside the box where commits can land, and from which files can be taken.
// Invariant: what `look` says is what a push is bound to: `land` changes nothing unless the branch is still where it was.

import type { PushBase } from "../../action/action.ts";
import type { Failure } from "../../shared/failure.ts";
import type { Result } from "../../shared/result.ts";
import type { GitObject, ObjectFormat, ObjectId } from "../publish/object.ts";
import type { TreeEntry } from "../publish/tree-entry.ts";

/** As the seed writes them. */
export type GitTarget =
  | { readonly type: "local"; readonly path: string; readonly branch?: string | undefined }
  | { readonly type: "local-bare"; readonly path: string; readonly branch?: string | undefined }
  | { readonly type: "github"; readonly repo: string; readonly branch?: string | undefined }
  | { readonly type: "remote"; readonly url: string; readonly branch?: string | undefined };

/** What a target is right now, in all that a person has to see and a push is bound to. */
export interface TargetState {
  /** The real path, or the URL that is really used. */
  readonly address: string;
  readonly format: ObjectFormat;
  readonly branch: string;
  readonly defaultBranch: string | null;
  /** Where the branch is; null: there is none of that name. */
  readonly oldCommit: ObjectId | null;
  /** What a commit builds on: the branch, or for a new one what `newOn` says; null: the repository is empty. */
  readonly baseCommit: ObjectId | null;
  readonly baseTree: ObjectId | null;
  /** Work trees in which the branch is checked out: their files change with it. */
  readonly checkedOut: readonly string[];
  /** Of a branch that is not there yet; absent: it is, or nothing is. */
  readonly newOn?: NewBranchBase | undefined;
}

/** What a new branch is built on: on this machine what is checked out, elsewhere the default branch. */
export type NewBranchBase = PushBase;

export interface Landing {
  readonly state: TargetState;
  readonly commit: ObjectId;
  /** The commit, its new trees and blobs; each once. */
  readonly objects: readonly GitObject[];
  /** What differs from the base, for files that are checked out. */
  readonly changes: readonly LandedFile[];
}

export interface LandedFile {
  readonly path: string;
  /** null: it was not there. */
  readonly before: { readonly mode: string; readonly id: ObjectId } | null;
  /** null: it goes. */
  readonly after: { readonly mode: string; readonly id: ObjectId; readonly content: Uint8Array } | null;
}

export interface TargetReading {
  readonly state: TargetState;
  /** The entries of directories of the base; a tree that is not there is a fault. */
  readTree(id: ObjectId): Promise<readonly TreeEntry[]>;
  readBlobs(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Uint8Array>>;
  /** In bytes. Absent where they cannot be measured without being read. */
  measureBlobs?(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, number>>;
}

/** Thrown by `readTree` and `readBlobs` where the place itself does not give it: no fault of ours. */
export class TargetReadFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super([failure.message, ...(failure.because ?? [])].join(" "));
    this.failure = failure;
  }
}

export type Progress = (done: number, total: number | null, what: string) => void;

export interface TargetAccess {
  /** `paths`: what will be read of it, so that it can be read along. */
  readState(paths?: readonly string[]): Promise<Result<TargetReading>>;
  /** `conflict` where the branch has moved or a person's files are in the way; then nothing has changed. */
  land(landing: Landing, progress: Progress): Promise<Result<undefined>>;
}
