// What a workspace has at the path that a caller wrote: links in it are followed, and stay inside.

import { fail, ok, type Result } from "../../shared/result.ts";
import { spellWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import type { Workspace, WorkspaceFile } from "../../workspace/workspace.ts";

/** `entry.path` is where it really is. */
export async function readThrough(path: WorkspacePath, files: Workspace): Promise<Result<WorkspaceFile>> {
  const resolved = await files.resolve(path);
  return resolved.ok ? await files.read(resolved.value) : resolved;
}

export interface ResolvedEntry {
  /** Where it really is. */
  readonly path: WorkspacePath;
  readonly kind: "file" | "directory";
}

/** Of what is to be looked through. The workspace itself is always there, however empty. */
export async function resolveEntry(path: WorkspacePath, files: Workspace): Promise<Result<ResolvedEntry>> {
  const resolved = await files.resolve(path);
  if (!resolved.ok) return resolved;
  if (await files.isDirectory(resolved.value)) return ok({ path: resolved.value, kind: "directory" });
  if ((await files.entry(resolved.value)) !== undefined) return ok({ path: resolved.value, kind: "file" });
  return fail("not_found", `There is nothing at ${spellWorkspacePath(path)}.`, {
    hint: "list_files without a path shows all that is there.",
  });
}
