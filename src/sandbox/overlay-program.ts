// Builds the arguments of native/overlay.c, the program around bubblewrap that mounts an overlay over a workspace's files.

import type { OverlayMount } from "../process/launch.ts";

export interface OverlayCall {
  readonly overlay: Pick<OverlayMount, "lower" | "sizeBytes" | "fileCount">;
  /** An empty directory. Each call mounts on it in its own namespace, so all calls can share it. */
  readonly mountPoint: string;
  readonly outFd: number;
  readonly bubblewrap: string;
  readonly arguments: readonly string[];
}

export function overlayArguments({ overlay, mountPoint, outFd, bubblewrap, arguments: words }: OverlayCall): string[] {
  return [
    overlay.lower,
    mountPoint,
    String(overlay.sizeBytes),
    String(overlay.fileCount),
    String(outFd),
    "--",
    bubblewrap,
    ...words,
  ];
}

/** The path at which bubblewrap finds the overlay. */
export function mergedPath(mountPoint: string): string {
  return `${mountPoint}/merged`;
}
