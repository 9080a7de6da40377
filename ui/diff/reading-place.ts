// The reviewer's position in a diff. It stays valid when files above are loaded or folded, or lines are shown differently.

import type { DiffState } from "./diff-state.ts";
import { fileAt, ROW_HEIGHT } from "./layout.ts";
import { lineOfRow, rowOfLine } from "./rows.ts";

export interface ReadingPlace {
  readonly file: number;
  /** The line at the top; null if the position is above the lines or they are not loaded. */
  readonly line: number | null;
  /** The piece of that line. */
  readonly piece?: number;
  /** Pixels below the top of that piece, or of the file. */
  readonly below: number;
  /** The height of that piece. */
  readonly rowHeight?: number;
}

/** The position `y` pixels below the top of the first file. */
export function placeAt(state: DiffState, y: number): ReadingPlace {
  const file = fileAt(state.tops, y);
  const top = state.tops[file] ?? 0;
  const rows = state.rows(file);
  const start = top + state.rowsStart(file);
  if (rows === null || state.isFolded(file) || y < start) return { file, line: null, below: y - top };
  const rowTops = state.rowTops(file);
  if (y >= start + rowTops.height) return { file, line: null, below: y - top };
  // The first readable row: the header of the file covers those above it.
  const read = y + state.headerHeight - start;
  const at = rowTops.at(read < rowTops.height ? read : y - start);
  // There may be one more row below the last line.
  const found = lineOfRow(rows, at) ?? lineOfRow(rows, at - 1);
  if (found === null) return { file, line: null, below: y - top };
  const { line, piece } = found;
  const row = rowOfLine(rows, line, piece);
  return { file, line, piece, below: y - start - rowTops.top(row), rowHeight: rowTops.heightOf(row) };
}

/** The current offset of the position, in pixels. */
export function offsetOf(state: DiffState, { file, line, piece, below, rowHeight = 0 }: ReadingPlace): number {
  const top = state.tops[file] ?? 0;
  const whole = (state.tops[file + 1] ?? top) - top;
  const rows = state.rows(file);
  if (line === null || rows === null || state.isFolded(file)) return top + Math.min(below, Math.max(0, whole - 1));
  const [row, rowTops] = [rowOfLine(rows, line, piece), state.rowTops(file)];
  // If the position is deep in a line that is now lower, the last row of the line is the first readable one.
  const height = rowTops.heightOf(row);
  const isPast = height < rowHeight && below + state.headerHeight >= height;
  const inLine = isPast ? height - ROW_HEIGHT - state.headerHeight : below;
  return top + state.rowsStart(file) + rowTops.top(row) + inLine;
}

/** The beginning of the next or previous hunk; the top of a file that shows no hunks. Null if there are no more. */
export function hunkPlace(state: DiffState, y: number, by: 1 | -1): ReadingPlace | null {
  const places = (file: number): ReadingPlace[] => {
    const lines = state.isFolded(file) ? null : state.lines(file);
    if (lines === null || lines.hunks.length === 0) return [{ file, line: null, below: 0 }];
    // The heading of the hunk is above its first line, and the header of the file above that.
    const below = -ROW_HEIGHT - state.headerHeight;
    return [...lines.hunkFrom.subarray(0, -1)].map((line) => ({ file, line, below }));
  };
  for (let file = fileAt(state.tops, Math.max(0, y)); file >= 0 && file < state.files.length; file += by) {
    const there = places(file);
    const isBeyond = (place: ReadingPlace): boolean => (offsetOf(state, place) - y) * by > 1;
    const found = by > 0 ? there.find(isBeyond) : there.findLast(isBeyond);
    if (found !== undefined) return found;
  }
  return null;
}
