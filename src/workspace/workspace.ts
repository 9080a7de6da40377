// A workspace: the files that an agent works on, seen as `/workspace`. A map of paths to bytes and links; directories
// exist only as far as something lies in them.
// Every method is asynchronous, because a browser's files are. Where they are in memory that costs a turn of the
// microtask queue, some 100 ns, and no copy: `read` hands out the bytes that are held.
// Invariant: bytes are never changed in place, only replaced; whoever holds them holds that state of the file for good.

import type { Glob } from "../shared/glob.ts";
import { limits } from "../shared/limits.ts";
import type { Failure } from "../shared/failure.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspacePath } from "./path.ts";

export interface WorkspaceEntry {
  readonly path: WorkspacePath;
  readonly kind: "file" | "symlink";
  /** In bytes; of a link, its text's. */
  readonly size: number;
  readonly executable: boolean;
  /** A link's text; null for a file. */
  readonly target: string | null;
  /** The workspace's version at which it came to be as it is. */
  readonly version: number;
}

export interface WorkspaceFile {
  readonly entry: WorkspaceEntry;
  /** Not to be written to. */
  readonly bytes: Uint8Array;
}

interface PathChange {
  readonly path: WorkspacePath;
  /** The entry's version that this change was made from, 0 for none: if it is another by now, nothing is changed. */
  readonly basedOn?: number;
}

export interface WriteChange extends PathChange {
  readonly operation: "write";
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

export interface LinkChange extends PathChange {
  readonly operation: "link";
  readonly target: string;
}

/** Of what is not there: nothing happens. */
export interface DeleteChange extends PathChange {
  readonly operation: "delete";
}

export type Change = WriteChange | LinkChange | DeleteChange;

export interface AppliedChange {
  readonly path: WorkspacePath;
  readonly operation: "create" | "update" | "delete" | "unchanged";
  /** What the file has now; 0 when it is gone. */
  readonly size: number;
}

export interface Applied {
  readonly version: number;
  /** One for each change, in their order. */
  readonly changes: readonly AppliedChange[];
}

export interface ListOptions {
  /** Only what lies below this directory. */
  readonly under?: WorkspacePath;
  /** Matched against the path relative to `under`. */
  readonly glob?: Glob;
  /** Only what comes after this text in the order of paths: the last path of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

export interface Page {
  /** In the order of `compareWorkspacePaths`. */
  readonly entries: readonly WorkspaceEntry[];
  readonly more: boolean;
}

export interface ChangedPath {
  readonly path: WorkspacePath;
  /** As it is now; undefined when it is gone. */
  readonly entry: WorkspaceEntry | undefined;
}

export interface ChangesSince {
  /** To ask from the next time. */
  readonly version: number;
  /** Every entry is listed, and what is not listed is not there: what was deleted since then is no longer known. */
  readonly isWhole: boolean;
  readonly changed: readonly ChangedPath[];
}

export interface Usage {
  readonly files: number;
  readonly bytes: number;
}

export interface Workspace {
  /** The entry itself; a link is not followed, and a directory is not an entry. */
  entry(path: WorkspacePath): Promise<WorkspaceEntry | undefined>;
  isDirectory(path: WorkspacePath): Promise<boolean>;
  /** Where the path leads when links are followed. It need not exist. `isSeen`: which links there are for whoever asks. */
  resolve(path: WorkspacePath, isSeen?: (link: WorkspacePath) => boolean): Promise<Result<WorkspacePath>>;
  /** A file's bytes. Links are not followed: `resolve` first. */
  read(path: WorkspacePath): Promise<Result<WorkspaceFile>>;
  list(options?: ListOptions): Promise<Page>;
  /** All of the changes, or none. Each path once; deletions come first, whatever their place. */
  apply(changes: readonly Change[]): Promise<Result<Applied>>;
  /** Grows with every change. */
  version(): Promise<number>;
  /** What is not as it was at that version. In memory, at a cost that follows what changed, not what is there. */
  changesSince(version: number): Promise<ChangesSince>;
  usage(): Promise<Usage>;
  /** Why the entry may not be changed, made or removed by whoever holds this workspace; null: it may. */
  changeProblem(path: WorkspacePath): Failure | null;
  close(): Promise<void>;
}

export interface WorkspaceLimits {
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly fileCount: number;
}

export const workspaceLimits: WorkspaceLimits = {
  fileBytes: limits.workspaceFileBytes,
  totalBytes: limits.workspaceTotalBytes,
  fileCount: limits.workspaceFileCount,
};
