// Builds the arguments of native/keeper.c, the program that mounts what a box shows of a workspace and starts bubblewrap.

import type { OverlayMount } from "../process/launch.ts";

export interface OverlayCall {
  readonly overlay: Pick<OverlayMount, "lower" | "sizeBytes" | "fileCount">;
  /** An empty directory. Each call mounts on it in its own namespace, so all calls can share it. */
  readonly mountPoint: string;
  readonly outFd: number;
  readonly bubblewrap: string;
  readonly arguments: readonly string[];
}

export function onceArguments({ overlay, mountPoint, outFd, bubblewrap, arguments: words }: OverlayCall): string[] {
  return [
    "once",
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

/** `draft` is the draft's own directory. */
export function holdArguments(project: string, draft: string): string[] {
  return ["hold", project, draft, roomOf(draft)];
}

/** What to copy is the program's standard input: native/keeper-seed.h. */
export function seedArguments(project: string, draft: string, mostBytes: number): string[] {
  return ["seed", project, draft, String(mostBytes)];
}

export function joinArguments(draft: string, bubblewrap: string, words: readonly string[]): string[] {
  return ["join", draft, roomOf(draft), "--", bubblewrap, ...words];
}

/** Where a draft's holder mounts. For everybody else this directory is empty. */
export function roomOf(draft: string): string {
  return `${draft}/room`;
}

/** The path at which bubblewrap finds the overlay. */
export function mergedPath(mountPoint: string): string {
  return `${mountPoint}/merged`;
}
