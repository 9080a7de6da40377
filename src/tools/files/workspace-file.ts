// Finds the workspace entry at a path that a caller wrote. It follows links, which stay inside the workspace.

import { fail, ok, type Result } from "../../shared/result.ts";
import { spellWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import type { Workspace, WorkspaceFile } from "../../workspace/workspace.ts";

/** `entry.path` of the result is the real path. */
export async function readThrough(path: WorkspacePath, files: Workspace): Promise<Result<WorkspaceFile>> {
  const resolved = await files.resolve(path);
  return resolved.ok ? await files.read(resolved.value) : resolved;
}

export interface ResolvedEntry {
  /** The real path. */
  readonly path: WorkspacePath;
  readonly kind: "file" | "directory";
}

/** Finds the file or directory to list or search. The workspace's root always exists, even if it is empty. */
export async function resolveEntry(path: WorkspacePath, files: Workspace): Promise<Result<ResolvedEntry>> {
  const resolved = await files.resolve(path);
  if (!resolved.ok) return resolved;
  if (await files.isDirectory(resolved.value)) return ok({ path: resolved.value, kind: "directory" });
  if ((await files.entry(resolved.value)) !== undefined) return ok({ path: resolved.value, kind: "file" });
  return fail("not_found", `There is nothing at ${spellWorkspacePath(path)}.`, {
    hint: "list_files without a path shows all that is there.",
  });
}
