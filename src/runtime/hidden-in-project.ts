// What an agent's grants hide in the project.

import type { Capability } from "../policy/capability.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { canonicalJson } from "../shared/json.ts";
import { ancestorsOf, isWithin, joinPath } from "../shared/path.ts";
import { type Failure, failure } from "../shared/failure.ts";

export interface HiddenInProject {
  /** In the project. */
  readonly paths: readonly string[];
  /** Something else is hidden whose name is not UTF-8, so that nothing can hide it. */
  readonly failure: Failure | null;
}

/** Whether a path in the project is of the person's git directory. A draft has one of its own there and shows nothing of theirs. */
export function isOfGit(path: string): boolean {
  return isWithin(path, ".git");
}

/** What the agent's grants hide in the project. `unseen`: directories of the project that need no look. */
export function hiddenIn(
  project: string,
  { fsGrants }: Capability,
  parts: DraftParts,
  unseen: readonly string[] = [],
): HiddenInProject {
  const paths = new Set(unseen.map((path) => joinPath(project, path)));
  const isUnseen = (path: string) => ancestorsOf(path).some((above) => paths.has(above));
  const inside = fsGrants.filter(({ path }) => isWithin(path, project) && !isUnseen(path));
  const found = inside
    .flatMap((grant) => parts.hidden(grant, paths))
    .map(({ path, kind }) => ({ path: path.slice(project.length + 1), kind }))
    .filter(({ path }) => !isOfGit(path));
  const isUnnameable = ({ kind }: (typeof found)[number]) => kind === "unnameable";
  const unnameable = found.find(isUnnameable);
  return {
    paths: [...new Set(found.filter((one) => !isUnnameable(one)).map(({ path }) => path))],
    failure:
      unnameable === undefined
        ? null
        : failure(
            "sandbox_unavailable",
            `${joinPath(project, unnameable.path)} should be hidden, but its name is not UTF-8.`,
            { hint: "Rename it." },
          ),
  };
}

/** What the grants hide, to notice that it has changed. */
export function hidePatterns(project: string, { fsGrants }: Capability): string {
  const inside = fsGrants.filter(({ path }) => isWithin(path, project));
  return canonicalJson(inside.map(({ path, hide }) => [path, [...hide].sort()]));
}
