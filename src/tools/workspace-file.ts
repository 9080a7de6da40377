// A workspace file by the path that a caller wrote: links in it are followed, and stay inside.

import type { Result } from "../shared/result.ts";
import type { WorkspacePath } from "../workspace/path.ts";
import type { Workspace, WorkspaceFile } from "../workspace/workspace.ts";

/** `entry.path` is where it really is. */
export async function readThrough(path: WorkspacePath, files: Workspace): Promise<Result<WorkspaceFile>> {
  const place = await files.resolve(path);
  return place.ok ? await files.read(place.value) : place;
}
