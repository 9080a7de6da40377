// What an agent's grants hide in the project.

import type { Capability } from "../policy/capability.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { canonicalJson } from "../shared/json.ts";
import { ancestorsOf, isWithin, joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";

/** Paths in the project that the agent's grants hide. `unseen`: directories of the project that need no look. */
export function hiddenIn(
  project: string,
  { fsGrants }: Capability,
  parts: DraftParts,
  unseen: readonly string[] = [],
): Result<string[]> {
  const paths = new Set(unseen.map((path) => joinPath(project, path)));
  const isUnseen = (path: string) => ancestorsOf(path).some((above) => paths.has(above));
  const inside = fsGrants.filter(({ path }) => isWithin(path, project) && !isUnseen(path));
  const hidden = inside.flatMap((grant) => parts.hidden(grant, paths));
  const unnameable = hidden.find(({ kind }) => kind === "unnameable");
  if (unnameable !== undefined)
    return fail("sandbox_unavailable", `${unnameable.path} should be hidden, but its name is not UTF-8.`, {
      hint: "Rename it.",
    });
  return ok([...new Set(hidden.map(({ path }) => path.slice(project.length + 1)))]);
}

/** What the grants hide, to notice that it has changed. */
export function hidePatterns(project: string, { fsGrants }: Capability): string {
  const inside = fsGrants.filter(({ path }) => isWithin(path, project));
  return canonicalJson(inside.map(({ path, hide }) => [path, [...hide].sort()]));
}
