// Computes the height of a file's wrapped lines from character cells, without drawing them.
// Invariant: the count is exact for text with one cell a character. For other text it is an estimate until the line is drawn.

import { type FileLines, pieceCount, pieceSpan } from "./file-lines.ts";
import { RowTops } from "./row-tops.ts";
import type { PaneSide, Rows } from "./rows.ts";

const LEAST_COLUMNS = 12;
const SIGN_EDGE = 3;
/** A part of a cell, so that rounding does not decide where a line is wrapped. */
export const SPARE_CELL = 0.3;
const TAB_COLUMNS = 4;
/** The approximate width of a mark or a button after the line. */
const MARK_COLUMNS = 20;
/** The width of a sign that stands for a character, such as `\u{200b}`. */
const SIGN_COLUMNS = 8;
/** The approximate length of the sign for many blanks. */
const BLANK_SIGN = "_x2,000";
const LONG_BLANK = " ".repeat(33);

export class WrappedLines {
  readonly columns: number;
  /** How many more rows than lines there are at first. */
  readonly more: number;
  readonly #pieceFrom: Int32Array;
  /** The height of each piece that is shown. */
  readonly #heights: Int32Array;

  /** `shown` returns how many pieces of a line with several pieces are shown. */
  constructor(file: FileLines, columns: number, shown: (line: number) => number) {
    this.columns = columns;
    this.#pieceFrom = file.pieceFrom;
    this.#heights = new Int32Array(file.pieceFrom.at(-1) as number);
    for (const [line, { text, isUnterminated }] of file.lines.entries()) {
      const all = pieceCount(file, line);
      const last = all === 1 ? 0 : Math.min(shown(line), all) - 1;
      for (let piece = 0; piece <= last; piece += 1) {
        const part = all === 1 ? text : text.slice(...pieceSpan(file, line, piece));
        const marks = piece < last ? 0 : (isUnterminated && last === all - 1 ? 1 : 0) + (last < all - 1 ? 1 : 0);
        this.#heights[(file.pieceFrom[line] as number) + piece] = wrappedHeight(part, columns, marks);
      }
    }
    this.more = this.#heights.reduce((sum, height) => sum + height, 0) - file.lines.length;
  }

  /** Sets the measured height. Returns whether it differs from the known one. */
  set(line: number, piece: number, height: number): boolean {
    const at = (this.#pieceFrom[line] as number) + piece;
    if (this.#heights[at] === height) return false;
    this.#heights[at] = height;
    return true;
  }

  topsOf(rows: Rows): RowTops {
    const heightOf = (line: number, piece: number): number =>
      line < 0 ? 1 : (this.#heights[(this.#pieceFrom[line] as number) + piece] as number);
    return new RowTops(rows.count, (row) => {
      const piece = rows.piece[row] as number;
      return Math.max(heightOf(rows.left[row] as number, piece), heightOf(rows.right[row] as number, piece));
    });
  }
}

/** The height in rows. `marks` is the number of the page's own marks after the line. */
export function wrappedHeight(line: string, columns: number, marks = 0): number {
  const text = line.includes(LONG_BLANK) ? line.replace(/ {33,}/g, BLANK_SIGN) : line;
  if (marks === 0 && /^[ -~]*$/.test(text)) return Math.max(1, Math.ceil(text.length / columns));
  let [rows, column] = [1, 0];
  const add = (cells: number): void => {
    const isNext = column + cells > columns;
    if (isNext) rows += 1;
    column = isNext ? cells : column + cells;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    add(code === 0x09 ? TAB_COLUMNS - (column % TAB_COLUMNS) : cellsOf(code));
  }
  for (let mark = 0; mark < marks; mark += 1) add(MARK_COLUMNS);
  return rows;
}

/** The cells of a UTF-16 unit. Each half of a surrogate pair counts as one, because most such characters are drawn wide. */
function cellsOf(code: number): number {
  if (code < 0x20) return code === 0x0d ? 2 : SIGN_COLUMNS;
  if (code < 0x7f) return 1;
  if (code < 0xa0 || (code >= 0x200b && code <= 0x200f)) return SIGN_COLUMNS;
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xd7a3) || code >= 0xf900 ? 2 : 1;
}

/** How many characters fit beside the numbers and signs of one pane. diff.css defines their width. */
export function columnsBeside(sides: readonly PaneSide[], digits: number, width: number, cell: number): number {
  const pane = sides.length > 1 ? (width - 2) / 2 - 1 : width - 2;
  const gutter = sides[0] === "both" ? 2 * digits + 7 : digits + 6;
  return Math.max(LEAST_COLUMNS, Math.floor((pane - SIGN_EDGE) / cell - gutter - SPARE_CELL));
}
