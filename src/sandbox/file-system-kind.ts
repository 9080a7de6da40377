// What kind of file system a directory is on.

import { statfsSync } from "node:fs";

const OVERLAY = 0x794c7630;
const TMPFS = 0x01021994;
/** ext, xfs, btrfs, tmpfs, f2fs, zfs. */
const withMarks = [0xef53, 0x58465342, 0x9123683e, TMPFS, 0xf2f52010, 0x2fc12fc1];

/** Whether the times of changes come from this machine's clock, and each change sets them. */
export function keepsTimes(path: string): boolean {
  const kind = kindOf(path);
  return kind === OVERLAY || withMarks.includes(kind);
}

/** Whether an overlay can write to it. An overlay itself cannot be written to by another. */
export function canBeUpper(path: string): boolean {
  return withMarks.includes(kindOf(path));
}

export function isInMemory(path: string): boolean {
  return kindOf(path) === TMPFS;
}

function kindOf(path: string): number {
  try {
    return statfsSync(path).type;
  } catch {
    return -1;
  }
}
