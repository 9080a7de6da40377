// Resolves the grants of a worker file like an agent's grants. They only narrow, so the paths that no agent may have need no
// second check.

import { type FsGrant, hidesUntracked } from "../policy/capability.ts";
import { hideProblem } from "./agent-grants.ts";
import type { ConfigError } from "./config-error.ts";
import { expandPath, resolveGranted } from "./grant-path.ts";
import type { ProjectPaths } from "./config-paths.ts";
import { fieldName } from "./field-name.ts";
import type { FieldPath, Source } from "./source.ts";
import type { WorkerFile } from "./worker-schema.ts";

export function workerFsGrants(
  { fs_grants: written }: WorkerFile,
  source: Source,
  paths: ProjectPaths,
): { readonly grants: readonly FsGrant[] | null; readonly errors: readonly ConfigError[] } {
  if (written === undefined) return { grants: null, errors: [] };
  const errors: ConfigError[] = [];
  const report = (at: FieldPath, { reason, hint }: { reason: string; hint: string }) =>
    errors.push(source.errorAt(at, `${fieldName(at)}: ${reason}`, hint));
  const grants = written.flatMap(({ path, mode, hide, tracked }, index): FsGrant[] => {
    for (const [hideIndex, pattern] of hide.entries()) {
      const problem = hideProblem(pattern);
      if (problem !== undefined) report(["fs_grants", index, "hide", hideIndex], problem);
    }
    const expanded = expandPath(path, paths);
    if ("reason" in expanded) {
      report(["fs_grants", index, "path"], expanded);
      return [];
    }
    return [
      {
        path: resolveGranted("fs_grants", expanded.path, mode).resolved.real,
        mode,
        hide: tracked === "shown" ? hide.map(hidesUntracked) : hide,
      },
    ];
  });
  return { grants, errors };
}
