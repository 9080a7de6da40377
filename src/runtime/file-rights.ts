// The one answer to whether an agent may see or change a file of the workspace, by the file's real path.
// Invariant: it is asked of the same capability that the box is built from.

import type { WorkspaceView } from "../action/action.ts";
import { type Capability, fsGrantFor, isHidden, writableRoot } from "../policy/capability.ts";
import { executedPartOf } from "../policy/executed-later.ts";
import { type Failure, failure } from "../shared/failure.ts";
import { type FileRights, limitWorkspace } from "../workspace/limited-workspace.ts";
import { spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface FilesContext {
  readonly files: Workspace;
  readonly workspace: WorkspaceView;
  readonly executedTargets: () => readonly string[];
}

/** `opens`: what others execute later, and a person said yes to changing. What is in memory belongs to the agent, all of it. */
export function filesFor(context: FilesContext, capability: Capability, opens: readonly string[]): Workspace {
  const { files, workspace, executedTargets } = context;
  if (workspace.kind !== "directory") return files;
  return limitWorkspace(files, fileRights({ capability, opens, directory: workspace.path, executedTargets }));
}

interface RightsContext {
  readonly capability: Capability;
  readonly opens: readonly string[];
  /** The workspace's real path. */
  readonly directory: string;
  readonly executedTargets: () => readonly string[];
}

function fileRights({ capability, opens, directory, executedTargets }: RightsContext): FileRights {
  let targets: readonly string[] | null = null;
  const onDisk = (path: WorkspacePath) => (path === "" ? directory : `${directory}/${path}`);
  const readProblem = (path: WorkspacePath): Failure | null =>
    isHidden(capability, onDisk(path)) || fsGrantFor(capability, onDisk(path), "r") === undefined
      ? refuse(path, "is hidden from this agent", "A hide glob of its fs_grants, or a rule, names it.")
      : null;
  return {
    readProblem,
    changeProblem(path) {
      const hidden = readProblem(path);
      if (hidden !== null) return hidden;
      if (fsGrantFor(capability, onDisk(path), "rw") === undefined)
        return refuse(path, "may be read, not changed", "A grant with mode r, or a rule, covers it.");
      targets ??= executedTargets();
      const part = executedPartOf(onDisk(path), writableRoot(capability, onDisk(path)), targets);
      if (part === null || opens.includes(part)) return null;
      return refuse(path, "is something that others execute later", "Change it alone, so that a person can be asked.");
    },
  };
}

function refuse(path: WorkspacePath, problem: string, hint: string): Failure {
  return failure("fs_denied", `${spellWorkspacePath(path)} ${problem}.`, { hint });
}
