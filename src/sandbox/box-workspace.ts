// What a box shows as the workspace. The session's workspace says what it is; the box mounts it and asks nothing more.

import type { WorkspaceView } from "../action/action.ts";
import type { Mount, OverlayMount } from "../process/launch.ts";
import { limits } from "../shared/limits.ts";
import { type BindMount, shownAt } from "./shown-directory.ts";

const MiB = 1024 * 1024;
const TARGET = "/workspace";

type PlacedMount = Extract<Mount, { readonly target: string }>;

export interface BoxWorkspace {
  /** The workspace that it is of. A box is built only where the granted action names the same. */
  readonly view: WorkspaceView;
  /** Where what the program writes goes to a layer of its own and comes back as data; null: it writes to the files themselves. */
  readonly overlay: OverlayMount | null;
  /** `onDisk`: what the box shows of the disk, at its own paths. */
  mounts(onDisk: readonly BindMount[]): readonly PlacedMount[];
}

/** Where the files of a workspace are materialized for programs, and how much one call may add to them. */
export interface OverlaySource {
  readonly lower: string;
  readonly sizeBytes?: number;
  readonly fileCount?: number;
}

/** Files that the gate has materialized in a private directory. */
export function overlayWorkspace(view: WorkspaceView, source: OverlaySource): BoxWorkspace {
  const { lower, sizeBytes = limits.tmpMb * MiB, fileCount = 2 * limits.workspaceFileCount } = source;
  const overlay: OverlayMount = { kind: "overlay", target: TARGET, lower, sizeBytes, fileCount };
  return { view, overlay, mounts: () => [overlay] };
}

/** A directory of the view, under a second name. */
export function directoryInBox(view: WorkspaceView, directory: string): BoxWorkspace {
  return {
    view,
    overlay: null,
    mounts: (onDisk) => shownAt(onDisk, { source: directory, target: TARGET, isReadOnly: false }),
  };
}

/** An empty one, in memory, gone after the call. */
export function emptyWorkspaceMount(): PlacedMount {
  return { kind: "scratch", target: TARGET, sizeBytes: limits.tmpMb * MiB };
}
