// Removes a directory that programs could change. They may have taken our rights away, or have made directories so deep that no path
// leads to them, so it is taken apart level by level.
// Invariant: no link is followed, even if somebody puts one in a directory's place meanwhile.

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

/** Whatever is there. `draft`: a new path each time, on the same disk, in a directory that no program sees. */
export function removeTree(path: string | Buffer, draft: () => string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) return unlinkSync(path);
  const waiting = [takeOut(path, draft())];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!lstatSync(next).isDirectory()) {
      unlinkSync(next); // something else had taken its place
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

/** To move a directory, and to empty it, needs the right to write in it. */
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

/** Names with a character for each byte: they need not be text. */
function listDirectory(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true, encoding: "latin1" });
}
