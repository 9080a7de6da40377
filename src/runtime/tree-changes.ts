// Converts what a program did to its tree into changes of the workspace.
// Invariant: it imports nothing from a `.git` and nothing that a workspace path cannot name. It reports what it leaves out.

import type { SpecialKind, RunTreeChange, RunTreeChanges } from "../process/outcome.ts";
import { displayText } from "../shared/display.ts";
import { limits } from "../shared/limits.ts";
import type { Result } from "../shared/result.ts";
import type { Artifact, NotKept } from "../tools/tool.ts";
import { parseLinkTarget } from "../workspace/link.ts";
import {
  compareWorkspacePaths,
  parentsOf,
  parseWorkspacePath,
  spellWorkspacePath,
  type WorkspacePath,
  workspaceRoot,
} from "../workspace/path.ts";
import type { Applied, AppliedChange, Change, Workspace } from "../workspace/workspace.ts";

export interface WorkspaceChanges {
  readonly wanted: readonly Change[];
  readonly notKept: readonly NotKept[];
  /** Directories that exist, even if they are empty. */
  readonly directories: readonly WorkspacePath[];
  /** Paths whose old entry is gone, together with everything below it. */
  readonly gone: readonly WorkspacePath[];
}

const whyNot: Readonly<Record<SpecialKind, string>> = {
  not_a_file: "neither a file nor a link",
  name: "its name is not UTF-8 text",
  size: "too large",
  depth: "too many directories deep",
};

/** The result of importing a program's tree into a workspace. */
export interface ImportedTree {
  readonly applied: Result<Applied>;
  readonly artifacts: readonly Artifact[];
  readonly notKept: readonly NotKept[];
  readonly directories: readonly WorkspacePath[];
  readonly gone: readonly WorkspacePath[];
}

export async function importTree(changes: RunTreeChanges, files: Workspace): Promise<ImportedTree> {
  const { wanted, notKept, directories, gone } = await changesFromTree(changes, files);
  const applied = await files.apply(wanted);
  const lost = applied.ok ? [] : [{ path: workspaceRoot, reason: applied.failure.message }];
  const changed = applied.ok ? applied.value.changes.toSorted((a, b) => compareWorkspacePaths(a.path, b.path)) : [];
  return { applied, artifacts: changed.flatMap(artifactOf), notKept: [...notKept, ...lost], directories, gone };
}

function artifactOf({ path, operation, size }: AppliedChange): Artifact[] {
  return operation === "unchanged" ? [] : [{ path: spellWorkspacePath(path), operation, size }];
}

async function changesFromTree({ changes, isComplete }: RunTreeChanges, files: Workspace): Promise<WorkspaceChanges> {
  const notKept: NotKept[] = [];
  const made = new Map<WorkspacePath, Change>();
  const gone = new Set<WorkspacePath>();
  const directories: WorkspacePath[] = [];
  const cleared: WorkspacePath[] = [];
  const leaveOut = (path: string, reason: string) =>
    notKept.push({ path: `${workspaceRoot}/${displayText(path)}`, reason });

  for (const change of changes) {
    const path = parseWorkspacePath(`${workspaceRoot}/${change.path}`);
    if (!path.ok) {
      if (change.kind === "special") leaveOut(change.path, whyNot[change.what]);
      else if (change.kind !== "gone") leaveOut(change.path, path.failure.message);
      continue;
    }
    if (change.kind === "directory") {
      directories.push(path.value);
      continue;
    }
    cleared.push(path.value);
    for await (const inside of within(path.value, files)) gone.add(inside);
    const becomes = changeOf(change, path.value);
    if (typeof becomes === "string") leaveOut(change.path, becomes);
    else if (becomes !== null) made.set(path.value, becomes);
  }
  // Deletes files that were replaced by a directory.
  for (const path of made.keys())
    for (const parent of parentsOf(path)) if ((await files.entry(parent)) !== undefined) gone.add(parent);
  if (!isComplete) leaveOut("", "the list of changes breaks off: there were more, and they are lost");

  const deletions = [...gone].filter((path) => !made.has(path)).map((path): Change => ({ operation: "delete", path }));
  return { wanted: [...deletions, ...made.values()], notKept, directories, gone: cleared };
}

/** Null if nothing is created at the path. A text says why the entry is left out. */
function changeOf(change: RunTreeChange, path: WorkspacePath): Change | string | null {
  switch (change.kind) {
    case "file":
      if (change.bytes.length > limits.workspaceFileBytes) return `larger than ${limits.workspaceFileBytes} bytes`;
      return { operation: "write", path, bytes: change.bytes, executable: change.executable };
    case "link": {
      const target = parseLinkTarget(path, change.target);
      return target.ok ? { operation: "link", path, target: target.value } : target.failure.message;
    }
    case "special":
      return whyNot[change.what];
    case "gone":
    case "emptied":
    case "directory":
      return null;
  }
}

/** The workspace's entries at the path and below it. */
async function* within(path: WorkspacePath, files: Workspace): AsyncGenerator<WorkspacePath> {
  if ((await files.entry(path)) !== undefined) yield path;
  if (!(await files.isDirectory(path))) return;
  for (const { path: inside } of (await files.list({ under: path })).entries) yield inside;
}
