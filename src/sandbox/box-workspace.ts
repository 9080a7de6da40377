// What a box shows as /workspace. The session's workspace describes itself with a `BoxWorkspace`, and the box mounts that.

import type { View, WorkspaceView } from "../action/action.ts";
import type { Mount, OverlayMount } from "../process/launch.ts";
import { BESIDE_GIT, DRAFT_HOME } from "../policy/box-paths.ts";
import type { Failure } from "../shared/failure.ts";
import { limits } from "../shared/limits.ts";
import type { Result } from "../shared/result.ts";
import { type DiskMount, shownAt } from "./shown-directory.ts";

const MiB = 1024 * 1024;
export const WORKSPACE_TARGET = "/workspace";

type TargetMount = Extract<Mount, { readonly target: string }>;

export interface BoxWorkspace {
  /** Identifies the workspace. The gate builds a box only if the granted action names the same one. */
  readonly view: WorkspaceView;
  /** Not null if the program's writes go to a separate layer and are returned as data. Null if the program writes to the real files. */
  readonly overlay: OverlayMount | null;
  /** The draft's own directory. Null if this is no draft. */
  readonly draft: string | null;
  /** Makes a draft available whose holder was killed. */
  readonly remount?: (() => Promise<Result<unknown>>) | undefined;
  /** Call this when a box starts, and what it returns when the box has ended. It calls `end` if the box must not go on. */
  readonly guard?: ((end: (failure: Failure) => void) => () => void) | undefined;
  /** `onDisk`: the disk paths that the box shows, each mounted at its own path. `view`: all that was granted. */
  mounts(onDisk: readonly DiskMount[], view: View): readonly TargetMount[];
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
  const overlay: OverlayMount = { kind: "overlay", target: WORKSPACE_TARGET, lower, sizeBytes, fileCount };
  return { view, overlay, draft: null, mounts: () => [overlay] };
}

/** A workspace that is a directory of the view, mounted a second time at /workspace. */
export function directoryInBox(view: WorkspaceView, directory: string): BoxWorkspace {
  return {
    view,
    overlay: null,
    draft: null,
    mounts: (onDisk) => shownAt(onDisk, { source: directory, target: WORKSPACE_TARGET, isReadOnly: false }),
  };
}

/** A draft, at the project's own path and at /workspace. `beside`: another draft, whose git directory the box shows too. */
export function draftInBox(
  { project, directory, remount, guard, homeOnDisk = `${directory}/home` }: DraftPlace,
  beside: ShownBeside | null = null,
): BoxWorkspace {
  const view: WorkspaceView = { kind: "draft", path: project };
  const home: TargetMount = { kind: "bind", source: homeOnDisk, target: DRAFT_HOME, writable: true };
  const other: TargetMount[] =
    beside === null
      ? []
      : [{ kind: "bind", source: `${beside.directory}/git`, target: BESIDE_GIT, writable: beside.isWritable }];
  return {
    view,
    overlay: null,
    draft: directory,
    remount,
    guard,
    // SECURITY(T48): nothing is mounted inside the draft, where a program could swap in a link that bubblewrap would follow.
    mounts(_onDisk, { paths }) {
      const writable = paths.some(({ path, mode }) => path === project && mode === "rw");
      const targets = [project, WORKSPACE_TARGET].map(
        (target) => ({ kind: "draft", target, directory, writable }) as const,
      );
      return [...targets, home, ...other];
    },
  };
}

/** A directory in which git packs objects for the gate: `draft-packing.ts`. For an action, this is an empty workspace. */
export function packingInBox(directory: string): BoxWorkspace {
  const place: TargetMount = { kind: "bind", source: directory, target: WORKSPACE_TARGET, writable: true };
  return { view: { kind: "scratch" }, overlay: null, draft: null, mounts: () => [place] };
}

export interface DraftPlace {
  /** The real path. */
  readonly project: string;
  /** The draft's own directory. */
  readonly directory: string;
  readonly remount?: BoxWorkspace["remount"];
  readonly guard?: BoxWorkspace["guard"];
  /** HOME of programs, if it is not the draft's own. */
  readonly homeOnDisk?: string;
}

export interface ShownBeside {
  /** The other draft's own directory. */
  readonly directory: string;
  readonly isWritable: boolean;
}

/** An empty workspace in memory. It is gone after the call. */
export function emptyWorkspaceMount(): TargetMount {
  return { kind: "scratch", target: WORKSPACE_TARGET, sizeBytes: limits.tmpMb * MiB };
}
