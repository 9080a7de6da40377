// The rows of a file's lines on the screen: one below the other, or old and new side by side.

import { gapAt } from "./context.ts";
import { type FileLines, pieceCount } from "./file-lines.ts";

export type DiffMode = "split" | "unified";

/** The sides of a file that have a pane: both in one pane, or one in each. */
export type PaneSide = "both" | "left" | "right";

/** The panes of a file. A created or deleted file has one side only. */
export function sidesOf(
  { oldMode, newMode }: { readonly oldMode: string | null; readonly newMode: string | null },
  mode: DiffMode,
): readonly PaneSide[] {
  if (oldMode === null) return ["right"];
  if (newMode === null) return ["left"];
  return mode === "split" ? ["left", "right"] : ["both"];
}

/** There is no line on this side of the row. */
export const NO_LINE = -1;

/**
 * The content of each row. `left` and `right` hold lines; in a row with one line across, both hold it. A row that begins a
 * hunk holds `hunkRow(hunk)` on both sides. If lines are left out at the end, the last row holds that of the next hunk. A
 * line of more than one piece (see line-pieces.ts) has one row for each piece that is shown.
 */
export interface Rows {
  readonly count: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** The piece of the lines in the row. */
  readonly piece: Int32Array;
}

const hunkRow = (hunk: number): number => -2 - hunk;
/** The hunk that the row begins. */
export const hunkOfRow = (value: number): number => -2 - value;
export const isHunkRow = (value: number): boolean => value <= -2;

/** `shown` returns how many pieces of a line with several pieces are shown. */
export function makeRows(file: FileLines, mode: DiffMode, shown: (line: number) => number = () => 1): Rows {
  const pieces = new Map([...file.cuts.keys()].map((line) => [line, Math.min(shown(line), pieceCount(file, line))]));
  const more = [...pieces.values()].reduce((sum, count) => sum + count - 1, 0);
  const most = file.lines.length + file.hunks.length + 1 + more;
  const left = new Int32Array(most);
  const right = new Int32Array(most);
  const piece = new Int32Array(most);
  let count = 0;
  const add = (one: number, other: number): void => {
    const [ones, others] = [pieces.get(one) ?? 1, pieces.get(other) ?? 1];
    for (let at = 0; at < Math.max(ones, others); at += 1) {
      left[count] = at < ones ? one : NO_LINE;
      right[count] = at < others ? other : NO_LINE;
      piece[count] = at;
      count += 1;
    }
  };
  for (let hunk = 0; hunk < file.hunks.length; hunk += 1) {
    add(hunkRow(hunk), hunkRow(hunk));
    const to = file.hunkFrom[hunk + 1] as number;
    for (let at = file.hunkFrom[hunk] as number; at < to;) {
      if (mode === "unified" || file.lines[at]?.sign === " ") {
        add(at, at);
        at += 1;
      } else at = addChange(file, at, to, add);
    }
  }
  if (gapAt(file, file.hunks.length) !== null) add(hunkRow(file.hunks.length), hunkRow(file.hunks.length));
  return { count, left: left.subarray(0, count), right: right.subarray(0, count), piece: piece.subarray(0, count) };
}

/** Adds removed lines with the added lines beside them. Returns the index after them. */
function addChange(file: FileLines, from: number, to: number, add: (one: number, other: number) => void): number {
  const runEnd = (start: number, sign: string): number => {
    let at = start;
    while (at < to && file.lines[at]?.sign === sign) at += 1;
    return at;
  };
  const removedTo = runEnd(from, "-");
  const addedTo = runEnd(removedTo, "+");
  const tall = Math.max(removedTo - from, addedTo - removedTo);
  for (let step = 0; step < tall; step += 1)
    add(from + step < removedTo ? from + step : NO_LINE, removedTo + step < addedTo ? removedTo + step : NO_LINE);
  return addedTo;
}

/** The row in which a line begins, or a piece of it that is shown. */
export function rowOfLine(rows: Rows, line: number, piece = 0): number {
  // Lines are sorted within each side. If one side does not have the line, the other is searched.
  const find = (side: Int32Array): number => {
    let [low, high] = [0, rows.count - 1];
    while (low <= high) {
      let middle = (low + high) >> 1;
      const start = middle;
      while (middle <= high && (side[middle] as number) < 0) middle += 1;
      const value = middle > high ? Number.POSITIVE_INFINITY : (side[middle] as number);
      if (value === line) return middle;
      if (value < line) low = middle + 1;
      else high = start - 1;
    }
    return -1;
  };
  const left = find(rows.left);
  const row = left >= 0 ? left : find(rows.right);
  return row < 0 ? row : row - (rows.piece[row] as number) + piece;
}

/** The first line at or below a row; null if there is none. */
export function lineOfRow(rows: Rows, row: number): { readonly line: number; readonly piece: number } | null {
  for (let at = Math.max(0, row); at < rows.count; at += 1) {
    const [left, right] = [rows.left[at] as number, rows.right[at] as number];
    if (left >= 0 || right >= 0) return { line: left >= 0 ? left : right, piece: rows.piece[at] as number };
  }
  return null;
}

/** The range of lines in these rows, which is a little larger if the sides are not in step. */
export function linesBetween(rows: Rows, from: number, to: number): readonly [from: number, to: number] {
  let [first, end] = [Number.POSITIVE_INFINITY, 0];
  for (let row = Math.max(0, from); row < Math.min(to, rows.count); row += 1)
    for (const line of [rows.left[row] as number, rows.right[row] as number])
      if (line >= 0) [first, end] = [Math.min(first, line), Math.max(end, line + 1)];
  return [Math.min(first, end), end];
}

/** An estimate of the number of rows, before the lines are loaded. */
export function expectedRows(
  { lines, added, removed }: { readonly lines: number; readonly added: number; readonly removed: number },
  mode: DiffMode,
): number {
  if (lines === 0) return 0;
  return 1 + (mode === "unified" ? lines : Math.max(0, lines - added - removed) + Math.max(added, removed));
}
