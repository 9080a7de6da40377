// Where a reader is in a diff, in words that stay true when files above are loaded or folded or lines are shown otherwise.

import type { DiffState } from "./diff-state.ts";
import { fileAt, ROW_HEIGHT } from "./layout.ts";
import { lineOfRow, rowOfLine } from "./rows.ts";

export interface ReadingPlace {
  readonly file: number;
  /** The line at the top; null: above the lines, or they are not there. */
  readonly line: number | null;
  /** Pixels below the top of that line, or of the file. */
  readonly below: number;
}

/** The place `y` pixels below the top of the first file. */
export function placeAt(state: DiffState, y: number): ReadingPlace {
  const file = fileAt(state.tops, y);
  const top = state.tops[file] ?? 0;
  const rows = state.rows(file);
  const start = top + state.rowsStart(file);
  if (rows === null || state.isFolded(file) || y < start) return { file, line: null, below: y - top };
  const row = Math.floor((y - start) / ROW_HEIGHT);
  const line = lineOfRow(rows, row);
  if (line === null) return { file, line: null, below: y - top };
  return { file, line, below: y - start - rowOfLine(rows, line) * ROW_HEIGHT };
}

/** Where that place is now. */
export function offsetOf(state: DiffState, { file, line, below }: ReadingPlace): number {
  const top = state.tops[file] ?? 0;
  const height = (state.tops[file + 1] ?? top) - top;
  const rows = state.rows(file);
  if (line === null || rows === null || state.isFolded(file)) return top + Math.min(below, Math.max(0, height - 1));
  return top + state.rowsStart(file) + rowOfLine(rows, line) * ROW_HEIGHT + below;
}

/** The beginning of the next hunk, or of the one before; of a file that has none here, its top. Null: there is no more. */
export function hunkPlace(state: DiffState, y: number, by: 1 | -1): ReadingPlace | null {
  const places = (file: number): ReadingPlace[] => {
    const lines = state.isFolded(file) ? null : state.lines(file);
    if (lines === null || lines.hunks.length === 0) return [{ file, line: null, below: 0 }];
    // The hunk's own row stands above its first line, and the header of the file above that.
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
