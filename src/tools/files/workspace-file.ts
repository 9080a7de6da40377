// What a workspace has at the path that a caller wrote: links in it are followed, and stay inside.

import { fail, ok, type Result } from "../../shared/result.ts";
import { spellWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import type { Workspace, WorkspaceFile } from "../../workspace/workspace.ts";

/** `entry.path` is where it really is. */
export async function readThrough(path: WorkspacePath, files: Workspace): Promise<Result<WorkspaceFile>> {
  const place = await files.resolve(path);
  return place.ok ? await files.read(place.value) : place;
}

export interface ResolvedEntry {
  /** Where it really is. */
  readonly path: WorkspacePath;
  readonly kind: "file" | "directory";
}

/** Of what is to be looked through. The workspace itself is always there, however empty. */
export async function resolveEntry(path: WorkspacePath, files: Workspace): Promise<Result<ResolvedEntry>> {
  const place = await files.resolve(path);
  if (!place.ok) return place;
  if (await files.isDirectory(place.value)) return ok({ path: place.value, kind: "directory" });
  if ((await files.entry(place.value)) !== undefined) return ok({ path: place.value, kind: "file" });
  return fail("not_found", `There is nothing at ${spellWorkspacePath(path)}.`, {
    hint: "list_files without a path shows all that is there.",
  });
}
