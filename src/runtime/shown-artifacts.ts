// Shortens the list of changed files in the result of a run, when the reply is made. Until then all of it is there, for requirements and
// for the record.

import { limits } from "../shared/limits.ts";
import { trackedPaths } from "../tools/commits/changed-files.ts";
import type { StepOutcome } from "../tools/tool.ts";
import { IgnoredFiles } from "../workspace/ignored-files.ts";
import { type WorkspacePath, workspaceRoot } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { GateSession } from "./gate-session.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Leaves out what git ignores, and what is beyond the limit; both are counted. `files`: as the agent may see them. */
export async function withShownArtifacts(
  result: Fields,
  outcomes: readonly StepOutcome[],
  files: Workspace,
  session: GateSession,
): Promise<Fields> {
  if (outcomes.every(({ artifacts, notKept }) => artifacts.length + notKept.length === 0)) return result;
  const paths = new Set(outcomes.flatMap(({ artifacts }) => artifacts.map(({ path }) => path)));
  const rules = new IgnoredFiles(files);
  const isTracked = trackedPaths(session.backend.staged, session.id);
  const ignored = new Set<string>();
  for (const spelled of paths) {
    const path = spelled.slice(workspaceRoot.length + 1) as WorkspacePath;
    if ((await rules.has(path)) && !isTracked(path)) ignored.add(spelled);
  }
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
