// Checks that a path in a repository does not lead through a link to the outside, or into the repository's own directory.

import { resolvePath } from "../process/real-path.ts";
import { isWithin, joinPath, parentPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Repository } from "./repository.ts";

/** The last component may be a link, because git treats a link as content. The directories above it must be in the work tree. */
export function checkPathInWorkTree(
  path: string | undefined,
  { workTree, gitDirectory, commonDirectory }: Repository,
): Result<null> {
  if (path === undefined || workTree === null) return ok(null);
  const parent = resolvePath(parentPath(joinPath(workTree, path))).real;
  // A work tree may itself be inside a git directory. Only a git directory inside the work tree is refused.
  const own = [gitDirectory, commonDirectory].filter((directory) => isWithin(directory, workTree));
  if (isWithin(parent, workTree) && !own.some((directory) => isWithin(parent, directory))) return ok(null);
  return fail(
    "invalid_args",
    `path: ${JSON.stringify(path.slice(0, 120))} leads out of the work tree through a link.`,
    {
      hint: "Give the path without the link, relative to the repository.",
    },
  );
}
