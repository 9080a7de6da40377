// What is staged, and what was pulled: the two states that a workspace is compared with.

import { hash } from "node:crypto";
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

export interface StagedStore {
  stage(commit: StagedCommit, contents: readonly ContentBytes[]): void;
  /** Oldest first. */
  list(session: string | null): readonly StagedCommit[];
  /** Undefined where the session has none of that id. */
  find(id: string, session: string): StagedCommit | undefined;
  /** False where there was none. */
  discard(id: string, session: string): boolean;
  /** Throws where it is not kept, or is not what its hash says. */
  content(contentHash: string, session?: string): Uint8Array;
  pulled(session: string): ReadonlyMap<string, PulledFile>;
  /** What was pulled, or landed by a push: from now on the state to compare with. */
  notePulled(
    session: string,
    files: readonly PulledFile[],
    gone: readonly string[],
    contents: readonly ContentBytes[],
  ): void;
  /** The commit is no longer staged, and what it made is the state to compare with: both at once. */
  noteLanded(id: string, session: string, files: readonly PulledFile[], gone: readonly string[]): void;
  /** Another one after each change, by whichever process. */
  version(): string;
  close(): void;
}

/** Names bytes in the store, whatever repository they go to. */
export function contentHash(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}
