// A file's hunks as one run of lines, each with its numbers and the line that it replaces or is replaced by.

import type { DiffHunk, DiffLine } from "../../src/action/diff-file.ts";
import { indexHunk } from "../../src/git/publish/hunk-index.ts";

export interface FileLines {
  readonly hunks: readonly DiffHunk[];
  readonly lines: readonly DiffLine[];
  /** For each hunk, where in `lines` it begins; and how many there are, at the end. */
  readonly hunkFrom: Int32Array;
  /** For each line; those of the side that it is not on say nothing. */
  readonly oldNumber: Int32Array;
  readonly newNumber: Int32Array;
  /** Which line stands for it on the other side; -1: none. */
  readonly partner: Int32Array;
  /** How many digits the largest line number has. */
  readonly digits: number;
  /** About how many columns the longest line takes. */
  readonly columns: number;
}

/** Of a longer line only so much is shown until more is asked for. In UTF-16 units. */
export const LINE_CHARACTERS = 2_000;

export function fileLines(hunks: readonly DiffHunk[]): FileLines {
  const count = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const lines: DiffLine[] = [];
  const hunkFrom = new Int32Array(hunks.length + 1);
  const oldNumber = new Int32Array(count);
  const newNumber = new Int32Array(count);
  const partner = new Int32Array(count);
  let columns = 0;
  for (const [at, hunk] of hunks.entries()) {
    const from = lines.length;
    const index = indexHunk(hunk);
    hunkFrom[at] = from;
    oldNumber.set(index.old, from);
    newNumber.set(index.new, from);
    partner.set(
      index.partner.map((other) => (other < 0 ? -1 : other + from)),
      from,
    );
    for (const line of hunk.lines) {
      lines.push(line);
      columns = Math.max(columns, columnsOf(line));
    }
  }
  hunkFrom[hunks.length] = count;
  const last = hunks.at(-1);
  const largest = last === undefined ? 1 : Math.max(last.oldStart + last.oldCount, last.newStart + last.newCount);
  return { hunks, lines, hunkFrom, oldNumber, newNumber, partner, digits: String(largest).length, columns };
}

/** Which hunk a line is in. */
export function hunkOfLine({ hunkFrom }: FileLines, line: number): number {
  let [low, high] = [0, Math.max(0, hunkFrom.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((hunkFrom[middle] as number) <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}

const MARK_COLUMNS = 36;

// Only how far the view can be moved sideways depends on it.
function columnsOf({ text, isUnterminated }: DiffLine): number {
  const start = text.length > LINE_CHARACTERS ? text.slice(0, LINE_CHARACTERS) : text;
  const marks = (isUnterminated ? MARK_COLUMNS : 0) + (text.length > LINE_CHARACTERS ? MARK_COLUMNS : 0);
  if (/^[ -~]*$/.test(start)) return start.length + marks;
  const tabs = start.split("\t").length - 1;
  return (/^[\t -~]*\r?$/.test(start) ? start.length + 3 * tabs : start.length * 2) + marks;
}
