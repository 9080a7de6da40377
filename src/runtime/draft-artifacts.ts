// Turns what the holder of a draft noticed into the list of files that a run changed.

import type { DraftChange, DraftChangesSince } from "../sandbox/draft-changes.ts";
import type { Artifact, NotKept } from "../tools/tool.ts";
import { stagingPrefix } from "../workspace/directory-scan.ts";
import {
  compareWorkspacePaths,
  parseWorkspacePath,
  spellWorkspacePath,
  type WorkspacePath,
  workspaceRoot,
} from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ImportedChanges } from "./session-workspace.ts";

export async function draftArtifacts(since: DraftChangesSince, files: Workspace): Promise<ImportedChanges> {
  const first = new Map<WorkspacePath, DraftChange["kind"]>();
  for (const { path, kind } of since.changes) {
    const parsed = path.startsWith(stagingPrefix) ? null : parseWorkspacePath(path);
    if (parsed?.ok === true && !first.has(parsed.value)) first.set(parsed.value, kind);
  }
  const artifacts: Artifact[] = [];
  for (const [path, kind] of [...first].sort(([a], [b]) => compareWorkspacePaths(a, b))) {
    const artifact = await artifactAt(path, kind, files);
    if (artifact !== null) artifacts.push(artifact);
  }
  return { artifacts, notKept: incompleteness(since) };
}

/** `kind`: what happened to the path first, which shows whether there was something before. Null if nothing is left of it. */
async function artifactAt(path: WorkspacePath, kind: DraftChange["kind"], files: Workspace): Promise<Artifact | null> {
  const entry = await files.entry(path);
  const spelled = spellWorkspacePath(path);
  if (entry !== undefined)
    return { path: spelled, operation: kind === "created" ? "create" : "update", size: entry.size };
  if (kind === "created" || (await files.isDirectory(path))) return null;
  return { path: spelled, operation: "delete", size: 0 };
}

function incompleteness({ isComplete, unnamedCount }: DraftChangesSince): NotKept[] {
  const unnamed = `${unnamedCount} files have names that are not UTF-8 text; they are not listed`;
  return [
    ...(isComplete
      ? []
      : [{ path: workspaceRoot, reason: "the list of changed files breaks off; git status has all of them" }]),
    ...(unnamedCount === 0 ? [] : [{ path: workspaceRoot, reason: unnamed }]),
  ];
}
