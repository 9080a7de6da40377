// The program around bubblewrap that lays an overlay over a workspace's files (native/overlay.c): how it is called.

import type { OverlayMount } from "../process/launch.ts";

export interface OverlayCall {
  readonly overlay: Pick<OverlayMount, "lower" | "sizeBytes" | "fileCount">;
  /** An empty directory. Each call mounts over it in a namespace of its own, so all can use the same. */
  readonly room: string;
  readonly outFd: number;
  readonly bubblewrap: string;
  readonly arguments: readonly string[];
}

export function overlayArguments({ overlay, room, outFd, bubblewrap, arguments: words }: OverlayCall): string[] {
  return [
    overlay.lower,
    room,
    String(overlay.sizeBytes),
    String(overlay.fileCount),
    String(outFd),
    "--",
    bubblewrap,
    ...words,
  ];
}

/** Where bubblewrap finds the overlay. */
export function mergedPath(room: string): string {
  return `${room}/merged`;
}
