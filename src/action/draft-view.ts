// Where a box shows a draft. The machine's own files at these paths are not in the box, so nothing about them needs to be checked.

import { isWithin } from "../shared/path.ts";
import type { WorkspaceView } from "./action.ts";

/** Whether the box shows a draft at this path. */
export function isInDraft(workspace: WorkspaceView, path: string): boolean {
  return workspace.kind === "draft" && isWithin(path, workspace.path);
}
