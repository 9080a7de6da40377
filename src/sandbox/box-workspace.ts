// What a box shows as /workspace. The session's workspace describes itself with a `BoxWorkspace`, and the box mounts that.

import type { WorkspaceView } from "../action/action.ts";
import type { Mount, OverlayMount } from "../process/launch.ts";
import { limits } from "../shared/limits.ts";
import { type BindMount, shownAt } from "./shown-directory.ts";

const MiB = 1024 * 1024;
const TARGET = "/workspace";

type TargetMount = Extract<Mount, { readonly target: string }>;

export interface BoxWorkspace {
  /** Identifies the workspace. The gate builds a box only if the granted action names the same one. */
  readonly view: WorkspaceView;
  /** Not null if the program's writes go to a separate layer and are returned as data. Null if the program writes to the real files. */
  readonly overlay: OverlayMount | null;
  /** `onDisk`: the disk paths that the box shows, each mounted at its own path. */
  mounts(onDisk: readonly BindMount[]): readonly TargetMount[];
}

/** The directory in which the gate materialized a workspace's files, and how much one call may add to them. */
export interface OverlaySource {
  readonly lower: string;
  readonly sizeBytes?: number;
  readonly fileCount?: number;
}

/** A workspace whose files the gate has materialized in a private directory. */
export function overlayWorkspace(view: WorkspaceView, source: OverlaySource): BoxWorkspace {
  const { lower, sizeBytes = limits.tmpMb * MiB, fileCount = 2 * limits.workspaceFileCount } = source;
  const overlay: OverlayMount = { kind: "overlay", target: TARGET, lower, sizeBytes, fileCount };
  return { view, overlay, mounts: () => [overlay] };
}

/** A workspace that is a directory of the view, mounted a second time at /workspace. */
export function directoryInBox(view: WorkspaceView, directory: string): BoxWorkspace {
  return {
    view,
    overlay: null,
    mounts: (onDisk) => shownAt(onDisk, { source: directory, target: TARGET, isReadOnly: false }),
  };
}

/** An empty workspace in memory. It is gone after the call. */
export function emptyWorkspaceMount(): TargetMount {
  return { kind: "scratch", target: TARGET, sizeBytes: limits.tmpMb * MiB };
}
