// The program around bubblewrap that lays an overlay over a workspace's files (native/overlay.c): how it is called.

import type { OverlayMount } from "../process/launch.ts";

export interface OverlayCall {
  readonly overlay: Pick<OverlayMount, "lower" | "sizeBytes" | "fileCount">;
  /** An empty directory. Each call mounts over it in a namespace of its own, so all can use the same. */
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

/** Where bubblewrap finds the overlay. */
export function mergedPath(mountPoint: string): string {
  return `${mountPoint}/merged`;
}
