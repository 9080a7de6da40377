// The rows that a file's lines take on the screen: one below the other, or old and new side by side.

import { gapAt } from "./context.ts";
import { type FileLines, pieceCount } from "./file-lines.ts";

export type DiffMode = "split" | "unified";

/** The sides of a file that have a pane: together in one, or each its own. */
export type PaneSide = "both" | "left" | "right";

/** Which panes a file takes: what is created or deleted has one side only. */
export function sidesOf(
  { oldMode, newMode }: { readonly oldMode: string | null; readonly newMode: string | null },
  mode: DiffMode,
): readonly PaneSide[] {
  if (oldMode === null) return ["right"];
  if (newMode === null) return ["left"];
  return mode === "split" ? ["left", "right"] : ["both"];
}

/** No line on this side of the row. */
export const NO_LINE = -1;

/**
 * What stands in each row. `left` and `right` hold lines; of a row that is one line across, both hold it. A row that
 * begins a hunk holds `hunkRow(hunk)` on both sides; one at the end, if lines are left out there, that of the next.
 * A line of more than one piece (see line-pieces.ts) has a row for each that is shown, one after the other.
 */
export interface Rows {
  readonly count: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Which piece of its lines. */
  readonly piece: Int32Array;
}

const hunkRow = (hunk: number): number => -2 - hunk;
/** Of a row that begins a hunk: which. */
export const hunkOfRow = (value: number): number => -2 - value;
export const isHunkRow = (value: number): boolean => value <= -2;

/** `shown`: how many pieces of a line that has more than one. */
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

/** Lines that went, and beside them what came instead. Returns where they end. */
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
  // Within each side lines only grow; the other side is tried where this one does not have it.
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

/** The first line at or below a row; null: there is none. */
export function lineOfRow(rows: Rows, row: number): { readonly line: number; readonly piece: number } | null {
  for (let at = Math.max(0, row); at < rows.count; at += 1) {
    const [left, right] = [rows.left[at] as number, rows.right[at] as number];
    if (left >= 0 || right >= 0) return { line: left >= 0 ? left : right, piece: rows.piece[at] as number };
  }
  return null;
}

/** From the first to the last line that stands in these rows, and a little more where sides are not in step. */
export function linesBetween(rows: Rows, from: number, to: number): readonly [from: number, to: number] {
  let [first, end] = [Number.POSITIVE_INFINITY, 0];
  for (let row = Math.max(0, from); row < Math.min(to, rows.count); row += 1)
    for (const line of [rows.left[row] as number, rows.right[row] as number])
      if (line >= 0) [first, end] = [Math.min(first, line), Math.max(end, line + 1)];
  return [Math.min(first, end), end];
}

/** How many rows it will about be, before the lines are there. */
export function expectedRows(
  { lines, added, removed }: { readonly lines: number; readonly added: number; readonly removed: number },
  mode: DiffMode,
): number {
  if (lines === 0) return 0;
  return 1 + (mode === "unified" ? lines : Math.max(0, lines - added - removed) + Math.max(added, removed));
}
