// What is staged, and what was pulled: the two states that a workspace is compared with.

import type { Hashes } from "../shared/hash.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { FileMode } from "./publish/tree.ts";

/** A file's content and kind, by hash; what a link leads to is its content. */
export interface FileState {
  readonly contentHash: string;
  readonly size: number;
  readonly mode: FileMode;
}

export interface StagedFile {
  /** Relative to the workspace, and to the root of the target. */
  readonly path: string;
  readonly operation: "create" | "update" | "delete";
  /** What it becomes; null: it goes. */
  readonly after: FileState | null;
  /** What it was when it was pulled; null: it was not. */
  readonly before: FileState | null;
}

export interface StagedCommit {
  readonly id: string;
  /** The name of its session, which is the agent's. */
  readonly session: string;
  readonly agent: string;
  readonly message: string;
  readonly files: readonly StagedFile[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A file as it was pulled, and from where. */
export interface PulledFile extends FileState {
  readonly path: string;
  readonly source: string;
  readonly commit: string;
}

/** Bytes to keep, by the hash that names them; what is not its bytes' hash is never given out again. */
export interface ContentBytes {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** What a push answered, and how its target was named: the same push again is answered the same. */
export interface LandedCommit {
  readonly result: PushResult;
  /** The target's one spelling; and its branch, null where none was named. */
  readonly asked: { readonly place: string; readonly branch: string | null };
}

export interface PushResult {
  readonly commitSha: string;
  readonly branch: string;
  readonly createdBranch: boolean;
  readonly previousSha: string | null;
  readonly target: string;
  readonly filesChanged: number;
  readonly notes?: readonly string[];
}

/** A landing that was begun: all that makes the same one again, if its process ended half way. */
export interface BegunLanding {
  readonly commit: string;
  readonly place: string;
  readonly branch: string;
  readonly oldCommit: string | null;
  readonly baseCommit: string | null;
  readonly baseTree: string | null;
  readonly author: { readonly name: string; readonly email: string };
  readonly filesChanged: number;
}

export interface StagedStore {
  stage(commit: StagedCommit, contents: readonly ContentBytes[]): void;
  /** Oldest first. */
  list(session: SessionId | null): readonly StagedCommit[];
  /** Undefined where the session has none of that id. */
  find(id: string, session: SessionId): StagedCommit | undefined;
  /** False where there was none. */
  discard(id: string, session: SessionId): boolean;
  /** Throws where it is not kept, or is not what its hash says. */
  content(contentHash: string, session?: SessionId): Uint8Array;
  pulled(session: SessionId): ReadonlyMap<string, PulledFile>;
  /** What was pulled, or landed by a push: from now on the state to compare with. */
  notePulled(
    session: SessionId,
    files: readonly PulledFile[],
    gone: readonly string[],
    contents: readonly ContentBytes[],
  ): void;
  /** Before a landing changes anything; null: it changed nothing. */
  noteBegun(id: string, session: SessionId, begun: BegunLanding | null): void;
  /** The last landing of the commit that was begun, and neither ended nor refused. */
  begun(id: string, session: SessionId): BegunLanding | undefined;
  /** The commit is no longer staged but landed, and what it made is the state to compare with: all at once. */
  noteLanded(
    id: string,
    session: SessionId,
    landed: LandedCommit,
    files: readonly PulledFile[],
    gone: readonly string[],
  ): void;
  /** Undefined where none of that id landed in the session, or so many did since that it is forgotten. */
  landed(id: string, session: SessionId): LandedCommit | undefined;
  /** Another one after each change, by whichever process. */
  version(): string;
  close(): void;
}

/** Names bytes in the store, whatever repository they go to. */
export function contentHash(hashes: Hashes, bytes: Uint8Array): string {
  return hashes.hex("sha256", bytes);
}

export function sessionOf({ agent, session }: { readonly agent: string; readonly session: string }): SessionId {
  return { agent, name: session };
}
