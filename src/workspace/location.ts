// Says where a workspace is, for code that plans a call. Callers ask this interface and never branch on the kind of workspace.

import type { WorkspaceView } from "../action/action.ts";
import type { ListedName } from "../command/words/globs.ts";
import { canonicalJson } from "../shared/json.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspacePath } from "./path.ts";

export interface WorkspaceLocation {
  /** How an action names the workspace. It is judged, shown to the person and recorded. */
  readonly view: WorkspaceView;
  /** Where programs start that name no directory, and where their files are. */
  readonly path: string;
  /** HOME of programs, if it lasts as long as the session. Null if each call has an empty one. */
  readonly home: string | null;
  /** Whether the path, as programs see it, lies in the workspace. */
  contains(path: string): boolean;
  /** A path that a caller wrote, below /workspace if it names a file of the workspace in another way. */
  spelled(path: string): string;
  /** The disk path of a path below /workspace. Null if the workspace is not on a disk. */
  onDisk(path: string): string | null;
  /** Whether a program can start in this directory of the workspace. */
  isDirectory(path: string): Promise<boolean>;
  /** The names in a directory of the workspace, for patterns of a command. Null if that is none, or no disk has it. */
  namesIn(path: string): readonly ListedName[] | null;
  /** The workspace's file that this path names. Null if the file at this path belongs to the machine, not to the workspace. */
  ownFile(path: string): Result<WorkspacePath> | null;
}

export function isSameView(one: WorkspaceView, other: WorkspaceView): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
