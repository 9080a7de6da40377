// The lines of a hunk as a reader counts them: their numbers in both files, and which removed line an added one replaces.

import type { DiffHunk } from "../../action/diff-file.ts";

/** For each line of a hunk: its numbers, and which line of the other side stands for it (-1: none). */
export interface HunkIndex {
  readonly old: Int32Array;
  readonly new: Int32Array;
  readonly partner: Int32Array;
}

export function indexHunk({ lines, oldStart, newStart }: DiffHunk): HunkIndex {
  const partner = new Int32Array(lines.length).fill(-1);
  const [oldNumbers, newNumbers] = [new Int32Array(lines.length), new Int32Array(lines.length)];
  let [old, now] = [oldStart, newStart];
  let removedFrom = 0;
  let addedFrom = -1;
  for (const [at, { sign }] of lines.entries()) {
    oldNumbers[at] = old;
    newNumbers[at] = now;
    if (sign !== "+") old += 1;
    if (sign !== "-") now += 1;
    if (sign === "+") {
      if (addedFrom < 0) addedFrom = at;
      const other = removedFrom + at - addedFrom;
      if (other >= addedFrom) continue;
      partner[at] = other;
      partner[other] = at;
    } else if (sign === " " || addedFrom >= 0) {
      removedFrom = sign === " " ? at + 1 : at;
      addedFrom = -1;
    }
  }
  return { old: oldNumbers, new: newNumbers, partner };
}
