// Checks the directories of the machine that are mounted in the workspace, like grants.

import { isWithin, tidyPath } from "../shared/path.ts";
import type { ConfigError } from "./config-error.ts";
import { expandPath, type Problem, type Protected, protectedProblem, resolveGranted } from "./grant-path.ts";
import type { ConfigPaths } from "./config-paths.ts";
import { fieldName } from "./field-name.ts";
import type { ConfigFile } from "./schema.ts";
import type { Source } from "./source.ts";

export interface WorkspaceMount {
  /** The real path. */
  readonly source: string;
  readonly target: string;
}

export function resolveMounts(
  file: ConfigFile,
  source: Source,
  paths: ConfigPaths,
  guarded: Protected,
): { readonly mounts: readonly WorkspaceMount[]; readonly errors: readonly ConfigError[] } {
  const errors: ConfigError[] = [];
  const mounts: WorkspaceMount[] = [];
  const written = file.workspace !== undefined && "mounts" in file.workspace ? file.workspace.mounts : [];
  for (const [index, mount] of written.entries()) {
    const at = ["workspace", "mounts", index];
    const report = (field: "source" | "target", { reason, hint }: Problem) =>
      errors.push(source.errorAt([...at, field], `${fieldName([...at, field])}: ${reason}`, hint));
    const target = tidyPath(mount.target);
    const problem = targetProblem(mount.target, mounts);
    if (problem !== undefined) report("target", problem);
    const expanded = expandPath(mount.source, paths);
    if ("reason" in expanded) {
      report("source", expanded);
      continue;
    }
    const granted = resolveGranted(fieldName(at), expanded.path, "r");
    const wrong = protectedProblem(granted, guarded);
    if (wrong !== undefined) report("source", wrong);
    mounts.push({ source: granted.resolved.real, target });
  }
  return { mounts, errors };
}

function targetProblem(written: string, others: readonly WorkspaceMount[]): Problem | undefined {
  const target = tidyPath(written);
  const isBelow = written.startsWith("/") && target !== "/workspace" && isWithin(target, "/workspace");
  if (!isBelow || target.split("/").includes(".."))
    return {
      reason: `${JSON.stringify(written)} is not below /workspace`,
      hint: "Write it in full, such as /workspace/node_modules.",
    };
  const other = others.find((mount) => isWithin(mount.target, target) || isWithin(target, mount.target));
  if (other !== undefined) return { reason: `it meets the mount at ${other.target}`, hint: "Keep them apart." };
  return undefined;
}
