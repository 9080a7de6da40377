// Where a workspace is, for whoever plans a call. The workspace answers; nobody asks which kind it is.

import type { WorkspaceView } from "../action/action.ts";
import { canonicalJson } from "../shared/json.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspacePath } from "./path.ts";

export interface WorkspaceLocation {
  /** How an action names it: part of what is judged, shown and written down. */
  readonly view: WorkspaceView;
  /** The path on this machine's disk of a path below /workspace; null: it is on no disk. */
  onDisk(path: string): string | null;
  /** Whether a program can start in this directory below /workspace. */
  isDirectory(path: string): Promise<boolean>;
  /** Which of the workspace's files this path means; null: the bytes at this path are the machine's, not the workspace's. */
  ownFile(path: string): Result<WorkspacePath> | null;
}

export function isSameView(one: WorkspaceView, other: WorkspaceView): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
