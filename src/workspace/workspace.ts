// A workspace: the files that an agent works on, seen as `/workspace`. It maps paths to bytes and links. A directory exists only if it
// contains something. Every method is asynchronous, because files in a browser are. For files in memory this costs a turn of the
// microtask queue, about 100 ns, and no copy: `read` returns the stored bytes.
// Invariant: bytes are never changed in place, only replaced. A caller that keeps them keeps that state of the file.

import type { Glob } from "../shared/glob.ts";
import { limits } from "../shared/limits.ts";
import type { Failure } from "../shared/failure.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspacePath } from "./path.ts";

export interface EntryFacts {
  readonly path: WorkspacePath;
  readonly kind: "file" | "symlink";
  /** In bytes. For a link, the size of its target text. */
  readonly size: number;
  readonly executable: boolean;
  /** A link's target text. Null for a file. */
  readonly target: string | null;
}

export interface WorkspaceEntry extends EntryFacts {
  /** The workspace's version at which the entry last changed. */
  readonly version: number;
}

export interface WorkspaceFile {
  readonly entry: WorkspaceEntry;
  /** The caller must not change them. */
  readonly bytes: Uint8Array;
}

interface PathChange {
  readonly path: WorkspacePath;
  /** The entry's version on which this change is based; 0 if there was no entry. If the version differs by now, nothing changes. */
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

/** Deleting an absent entry does nothing. */
export interface DeleteChange extends PathChange {
  readonly operation: "delete";
}

export type Change = WriteChange | LinkChange | DeleteChange;

export interface AppliedChange {
  readonly path: WorkspacePath;
  readonly operation: "create" | "update" | "delete" | "unchanged";
  /** The size of the file now; 0 if it is deleted. */
  readonly size: number;
}

export interface Applied {
  readonly version: number;
  /** One for each change, in the same order. */
  readonly changes: readonly AppliedChange[];
}

export interface ListOptions {
  /** Only entries below this directory. */
  readonly under?: WorkspacePath;
  /** Matched against the path relative to `under`. */
  readonly glob?: Glob;
  /** Only entries after this text in the order of paths. Pass the last path of the previous page. */
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
  /** The entry now. Undefined if it was deleted. */
  readonly entry: WorkspaceEntry | undefined;
}

export interface ChangesSince {
  /** The version to pass the next time. */
  readonly version: number;
  /** True if deletions since that version are no longer known. Then `changed` lists every entry, and any other path does not exist. */
  readonly isWhole: boolean;
  readonly changed: readonly ChangedPath[];
}

export interface Usage {
  readonly files: number;
  readonly bytes: number;
}

export interface Workspace {
  /** Lines as of a `.gitignore` that stands above the root, one character for each byte. Absent if there is none. */
  readonly ignoreRules?: string;
  /** The entry at the path. Does not follow a link. A directory is not an entry. */
  entry(path: WorkspacePath): Promise<WorkspaceEntry | undefined>;
  isDirectory(path: WorkspacePath): Promise<boolean>;
  /** Follows links. The result need not exist. `isSeen` says which links the caller may see; it ignores the others. */
  resolve(path: WorkspacePath, isSeen?: (link: WorkspacePath) => boolean): Promise<Result<WorkspacePath>>;
  /** A file's bytes. Does not follow links; call `resolve` first. */
  read(path: WorkspacePath): Promise<Result<WorkspaceFile>>;
  list(options?: ListOptions): Promise<Page>;
  /** Applies all changes or none. Each path may occur once. Deletions are made first, wherever they are in the list. */
  apply(changes: readonly Change[]): Promise<Result<Applied>>;
  /** Increases with every change. */
  version(): Promise<number>;
  /** What changed since that version. In memory the cost depends on the number of changes, not of files. */
  changesSince(version: number): Promise<ChangesSince>;
  usage(): Promise<Usage>;
  /** Why the holder of this workspace may not change, make or remove the entry. Null if it may. */
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
