// Compares the workspace with what was pulled: which files are new, changed or deleted, and their current states.

import { contentHash, type FileState, type PulledFile } from "../../staged.ts";
import type { Hashes } from "../../../shared/hash.ts";
import type { WorkspacePath } from "../../../workspace/path.ts";
import type { WorkspaceEntry, Workspace } from "../../../workspace/workspace.ts";

export interface FrozenFile {
  readonly state: FileState;
  readonly bytes: Uint8Array;
}

export interface WorkspaceDifference {
  readonly path: WorkspacePath;
  readonly status: "new" | "modified" | "deleted";
}

/** A file as a commit would hold it. For a link, the content is its target. Null if the file was deleted since it was listed. */
export async function freeze(
  path: WorkspacePath,
  entry: WorkspaceEntry,
  files: Workspace,
  hashes: Hashes,
): Promise<FrozenFile | null> {
  if (entry.target !== null) {
    const bytes = new TextEncoder().encode(entry.target);
    return { bytes, state: { contentHash: contentHash(hashes, bytes), size: bytes.length, mode: "120000" } };
  }
  const file = await files.read(path);
  if (!file.ok) return null;
  const { bytes } = file.value;
  const mode = file.value.entry.executable ? "100755" : "100644";
  return { bytes, state: { contentHash: contentHash(hashes, bytes), size: bytes.length, mode } };
}

export function stateOf({ contentHash, size, mode }: FileState): FileState {
  return { contentHash, size, mode };
}

export function isSameState(a: FileState | null | undefined, b: FileState | null | undefined): boolean {
  return (a?.contentHash ?? null) === (b?.contentHash ?? null) && (a?.mode ?? null) === (b?.mode ?? null);
}

export interface ShownDifferences {
  /** Asked before a file is read. */
  readonly isShown: (path: WorkspacePath) => Promise<boolean>;
  /** Whether the file counts as unchanged in this state; null if it was deleted. */
  readonly isSettled: (path: string, state: FileState | null) => boolean;
}

/** Sorted by path. */
export async function differences(
  files: Workspace,
  pulled: ReadonlyMap<string, PulledFile>,
  hashes: Hashes,
  { isShown, isSettled }: ShownDifferences,
): Promise<WorkspaceDifference[]> {
  const found: WorkspaceDifference[] = [];
  const { entries } = await files.list();
  const there = new Set<string>();
  for (const entry of entries) {
    there.add(entry.path);
    if (!(await isShown(entry.path))) continue;
    const before = pulled.get(entry.path);
    const now = await freeze(entry.path, entry, files, hashes);
    if (now === null || isSameState(now.state, before) || isSettled(entry.path, now.state)) continue;
    found.push({ path: entry.path, status: before === undefined ? "new" : "modified" });
  }
  for (const path of pulled.keys())
    if (!there.has(path) && (await isShown(path as WorkspacePath)) && !isSettled(path, null))
      found.push({ path: path as WorkspacePath, status: "deleted" });
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
