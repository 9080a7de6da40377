// Numbers the lines of a hunk in both files, and finds which removed line an added line replaces.

import type { DiffHunk } from "../../action/diff-file.ts";

/** For each line of a hunk: its numbers in both files, and the index of its counterpart on the other side (-1 if there is none). */
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
