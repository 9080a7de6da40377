// How much of a disk is free for this user.

import { statfsSync } from "node:fs";

/** Null if the path is gone or cannot be looked up. */
export function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}
