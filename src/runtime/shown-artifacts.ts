// Shortens the list of changed files in the result of a run, when the reply is made. Until then all of it is there, for requirements and
// for the record.

import type { ComparedBase } from "../git/publish/push/compared-base.ts";
import { limits } from "../shared/limits.ts";
import type { StepOutcome } from "../tools/tool.ts";
import { IgnoredFiles } from "../workspace/ignored-files.ts";
import { spellWorkspacePath, type WorkspacePath, workspaceRoot } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Leaves out what git ignores, and what is beyond the limit; both are counted. `files`: as the agent may see them. */
export async function withShownArtifacts(
  result: Fields,
  outcomes: readonly StepOutcome[],
  files: Workspace,
  base: ComparedBase,
): Promise<Fields> {
  if (outcomes.every(({ artifacts, notKept }) => artifacts.length + notKept.length === 0)) return result;
  const paths = new Set(outcomes.flatMap(({ artifacts }) => artifacts.map(({ path }) => path)));
  const rules = new IgnoredFiles(files);
  const named: WorkspacePath[] = [];
  for (const spelled of paths) {
    const path = spelled.slice(workspaceRoot.length + 1) as WorkspacePath;
    if (await rules.has(path)) named.push(path);
  }
  const tracked = named.length === 0 ? null : await base.tracked(named);
  // The program has run, so its result is shown even if nobody can say what is tracked.
  const kept = tracked?.ok === true ? tracked.value : new Set<string>();
  const ignored = new Set(named.filter((path) => !kept.has(path)).map(spellWorkspacePath));
  const { results } = result;
  if (!Array.isArray(results)) return shortened(result, ignored);
  return { ...result, results: results.map((one: unknown) => (isFields(one) ? shortened(one, ignored) : one)) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function shortNotKept(notKept: readonly unknown[]): Fields {
  const rest = notKept.length - limits.artifactEntries;
  return rest > 0 ? { not_kept: notKept.slice(0, limits.artifactEntries), more_not_kept: rest } : {};
}

function shortened(result: Fields, ignored: ReadonlySet<string>): Fields {
  const { artifacts, not_kept: notKept } = result;
  if (!Array.isArray(artifacts)) return result;
  const kept = (artifacts as readonly { readonly path: string }[]).filter(({ path }) => !ignored.has(path));
  const shown = kept.slice(0, limits.artifactEntries);
  return {
    ...result,
    artifacts: shown,
    ...(shown.length < kept.length ? { more_artifacts: kept.length - shown.length } : {}),
    ...(kept.length < artifacts.length ? { ignored: artifacts.length - kept.length } : {}),
    ...(Array.isArray(notKept) ? shortNotKept(notKept) : {}),
  };
}
