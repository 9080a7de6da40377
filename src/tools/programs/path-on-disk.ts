// Translates a path of a call to a path on this machine. Programs see a workspace at /workspace, but git runs on the real directory.

import { isAbsolutePath, isWithin, tidyPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { WorkspaceLocation } from "../../workspace/location.ts";
import { workspaceRoot } from "../../workspace/path.ts";

export interface RepositoryContext {
  readonly workspace: WorkspaceLocation;
}

/** `field` is the name of the argument, for error messages. */
export function repositoryOnDisk(path: string, field: string, { workspace }: RepositoryContext): Result<string> {
  const tidy = tidyPath(path);
  if (!isAbsolutePath(path) || !isWithin(tidy, workspaceRoot)) return ok(path);
  const real = workspace.onDisk(tidy);
  if (real !== null) return ok(real);
  return fail("invalid_args", `${field}: ${JSON.stringify(path)} is in memory, and no git repository.`, {
    hint: "git_status and git_diff tell of the workspace; name a repository's own directory for the others.",
  });
}
