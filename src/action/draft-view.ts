// Where a box shows a workspace that lies at a path. Where it shows a draft, the machine's own files at these paths are not in the box, so nothing about them needs to be checked.

import { isWithin } from "../shared/path.ts";
import type { WorkspaceView } from "./action.ts";

/** Whether the box shows a draft at this path. */
export function isInDraft(workspace: WorkspaceView, path: string): boolean {
  return workspace.kind === "draft" && isWithin(path, workspace.path);
}

/** The directory of the machine that is the workspace. Null if it is none. */
export function directoryOfWorkspace(workspace: WorkspaceView): string | null {
  return workspace.kind === "directory" ? workspace.path : null;
}
