// Decides whether an agent may see or change a file of the workspace, by the file's real path. No other code decides this.
// Invariant: it uses the same capability that the box is built from.

import { type Capability, fsGrantFor, isHidden, writableRoot } from "../policy/capability.ts";
import { executedPartOf } from "../policy/executed-later.ts";
import { addDraftUse, DRAFT_FULL, readDraftUse } from "../sandbox/draft-use.ts";
import { type Failure, failure } from "../shared/failure.ts";
import { limits } from "../shared/limits.ts";
import type { FileRights } from "../workspace/limited-workspace.ts";
import { spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { AgentRights } from "./session-workspace.ts";

const MiB = 1024 * 1024;

/** For a workspace in a directory on the disk. `directory`: the real path. */
export function fileRights(directory: string, { capability, opens, executedTargets }: AgentRights): FileRights {
  let targets: readonly string[] | null = null;
  const onDisk = (path: WorkspacePath) => (path === "" ? directory : `${directory}/${path}`);
  const readProblem = (path: WorkspacePath) => hiddenProblem(path, onDisk(path), capability);
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

/**
 * For a layer over `directory`: the agent may change all that it may see, as its programs can, or nothing of it. The directory itself stays
 * as it is.
 * `draft`: where the layer is. What the file tools write counts like what programs write.
 */
export function layerRights(directory: string, draft: string, capability: Capability): FileRights {
  const onDisk = (path: WorkspacePath) => (path === "" ? directory : `${directory}/${path}`);
  const problem = (path: WorkspacePath) => hiddenProblem(path, onDisk(path), capability);
  const most = (capability.limits.draftMb ?? limits.draftMb) * MiB;
  return {
    readProblem: problem,
    changeProblem: (path) =>
      problem(path) ??
      (fsGrantFor(capability, directory, "rw") === undefined
        ? refuse(path, "may be read, not changed", "The worker file grants the project with mode r.")
        : null),
    reserve(bytes) {
      if (readDraftUse(draft) + bytes > most)
        return failure("tool_failed", "There is no room left.", { hint: DRAFT_FULL });
      addDraftUse(draft, bytes);
      return null;
    },
  };
}

function hiddenProblem(path: WorkspacePath, real: string, capability: Capability): Failure | null {
  return isHidden(capability, real) || fsGrantFor(capability, real, "r") === undefined
    ? refuse(path, "is hidden from this agent", "A hide glob of its fs_grants, or a rule, names it.")
    : null;
}

function refuse(path: WorkspacePath, problem: string, hint: string): Failure {
  return failure("fs_denied", `${spellWorkspacePath(path)} ${problem}.`, { hint });
}
