// Removes a directory that programs could change. They may have removed the gate's permissions, or have nested directories deeper than
// a path can name, so the gate removes it level by level.
// Invariant: it follows no link, even if somebody replaces a directory by a link meanwhile.

import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { O_PATH } from "../process/plain-file.ts";

/** Removes whatever is at the path. `draft` returns a new path each time, on the same disk, in a directory that no program sees. */
export function removeTree(path: string | Buffer, draft: () => string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) return unlinkSync(path);
  const waiting = [takeOut(path, draft())];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!lstatSync(next).isDirectory()) {
      unlinkSync(next); // somebody had replaced the directory
      continue;
    }
    for (const entry of listDirectory(next)) {
      const inner = Buffer.from(`${Buffer.from(next).toString("latin1")}/${entry.name}`, "latin1");
      if (entry.isDirectory()) waiting.push(takeOut(inner, draft()));
      else unlinkSync(inner);
    }
    rmdirSync(next);
  }
}

/** Moving a directory and emptying it both need write permission on it. */
function takeOut(from: string | Buffer, to: string): string {
  const fd = openSync(from, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    chmodSync(`/proc/self/fd/${fd}`, 0o700);
  } finally {
    closeSync(fd);
  }
  renameSync(from, to);
  return to;
}

/** Returns names with one character per byte, because they need not be UTF-8. */
function listDirectory(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true, encoding: "latin1" });
}
