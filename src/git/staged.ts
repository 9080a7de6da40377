// Staged commits and pulled files: the two states that a workspace is compared with.

import { type Hashes, hexOfEach } from "../shared/hash.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { FileMode } from "./publish/tree.ts";

/** A file's content (as a hash) and mode. The content of a link is its target. */
export interface FileState {
  readonly contentHash: string;
  readonly size: number;
  readonly mode: FileMode;
}

export interface StagedFile {
  /** Relative to the workspace, and to the root of the target. */
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  /** The new state; null if the file is deleted. */
  readonly after: FileState | null;
  /** The state when it was pulled; null if it was not pulled. */
  readonly before: FileState | null;
}

export interface StagedCommit {
  readonly id: string;
  /** The name of the session. The session belongs to `agent`. */
  readonly session: string;
  readonly agent: string;
  readonly message: string;
  /** What all of it changes. */
  readonly files: readonly StagedFile[];
  /** The commits of a series, oldest first. Absent for files that were staged as one commit. */
  readonly series?: readonly StagedStep[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** One commit of a series. */
export interface StagedStep {
  /** Its id in the session. It lands under another one. */
  readonly id: string;
  /** The commit before it, in the session. Absent in series that earlier versions staged. */
  readonly parent?: string;
  readonly message: string;
  /** What it changes. `before` is the state in the commit before it. */
  readonly files: readonly StagedFile[];
}

/** The files of every commit that lands. */
export function filesOfSteps({ files, series }: StagedCommit): readonly StagedFile[] {
  return series === undefined ? files : series.flatMap((step) => step.files);
}

/** A file as it was pulled, with its source. */
export interface PulledFile extends FileState {
  readonly path: string;
  readonly source: string;
  readonly commit: string;
}

/** Bytes to keep under their hash. The store never returns bytes that do not match the hash. */
export interface ContentBytes {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** The answer of a push, and how the call named its target. A repeated push gets the same answer. */
export interface LandedCommit {
  readonly result: PushResult;
  /** For a series: the session's id of its last commit. */
  readonly tip?: string;
  /** The target in its normalized spelling, and the branch; null if the call named none. */
  readonly asked: { readonly place: string; readonly branch: string | null };
}

export interface PushResult {
  readonly commitSha: string;
  readonly branch: string;
  readonly createdBranch: boolean;
  readonly previousSha: string | null;
  readonly target: string;
  readonly filesChanged: number;
  /** The ids of a series, oldest first. */
  readonly commits?: readonly string[];
  readonly notes?: readonly string[];
}

/** A landing that was begun: everything needed to repeat it, if its process ended before it was done. */
export interface BegunLanding {
  readonly commit: string;
  /** The commits of a series, oldest first. Absent in notes of earlier versions. */
  readonly commits?: readonly string[];
  readonly place: string;
  readonly branch: string;
  readonly oldCommit: string | null;
  readonly baseCommit: string | null;
  readonly baseTree: string | null;
  readonly author: { readonly name: string; readonly email: string };
  readonly filesChanged: number;
}

export interface LookedTarget {
  readonly place: string;
  readonly branch: string;
}

export interface StagedStore {
  /** By which contents are named. */
  readonly hashes: Hashes;
  stage(commit: StagedCommit, contents: readonly ContentBytes[]): void;
  /** Oldest first. */
  list(session: SessionId | null): readonly StagedCommit[];
  /** Undefined if the session has no staged commit of that id. */
  find(id: string, session: SessionId): StagedCommit | undefined;
  /** False if there was none. */
  discard(id: string, session: SessionId): boolean;
  /** Throws if the content is not in the store, or does not match its hash. */
  content(contentHash: string, session?: SessionId): Uint8Array;
  pulled(session: SessionId): ReadonlyMap<string, PulledFile>;
  /** Paths whose deletion has landed, and at which nothing was pulled since. */
  deleted(session: SessionId): ReadonlySet<string>;
  /** Notes files that were pulled. From now on the workspace is compared with them. Of those in `gone` nothing is noted any more. */
  notePulled(
    session: SessionId,
    files: readonly PulledFile[],
    gone: readonly string[],
    contents: readonly ContentBytes[],
  ): void;
  /** Call it before a landing changes anything; with null if the landing changed nothing. */
  noteBegun(id: string, session: SessionId, begun: BegunLanding | null): void;
  /** The last landing of the commit that was begun, and has neither ended nor been refused. */
  begun(id: string, session: SessionId): BegunLanding | undefined;
  /** In one transaction: the commit is no longer staged but landed, and the workspace is compared with its files. */
  noteLanded(
    id: string,
    session: SessionId,
    landed: LandedCommit,
    files: readonly PulledFile[],
    deleted: readonly string[],
  ): void;
  /** Undefined if no commit of that id landed in the session, or the store has forgotten it because many landed since. */
  landed(id: string, session: SessionId): LandedCommit | undefined;
  /** The session's ids of commits that were the last of a series that landed, newest first. */
  landedTips(session: SessionId): readonly string[];
  /** Notes the files of a push that a person has answered about. */
  noteLooked(session: SessionId, target: LookedTarget, files: readonly string[]): void;
  /** What was noted for the last push to that target; null if nothing was. */
  looked(session: SessionId, target: LookedTarget): ReadonlySet<string> | null;
  /** Differs after each change by any process. */
  version(): string;
  close(): void;
}

/** The key of bytes in the store, independent of the repository's object format. */
export function contentHash(hashes: Hashes, bytes: Uint8Array): string {
  return hashes.hex("sha256", bytes);
}

/** The keys of many, by the names that the caller has for them. */
export async function contentHashes<Name>(
  hashes: Hashes,
  contents: ReadonlyMap<Name, Uint8Array>,
): Promise<ReadonlyMap<Name, string>> {
  const keys = await hexOfEach(hashes, "sha256", [...contents.values()]);
  return new Map([...contents.keys()].map((name, index) => [name, keys[index] as string]));
}

export function sessionOf({ agent, session }: { readonly agent: string; readonly session: string }): SessionId {
  return { agent, name: session };
}
