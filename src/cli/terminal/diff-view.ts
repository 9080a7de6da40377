// Draws a file's diff on a terminal, one screen at a time.
// Invariant: text that an agent wrote comes after the gate's bar. The gate draws what precedes the bar: numbers, the sign, and
// the mark of a continued line. Only the rows of one screen are drawn, however many there are.

import { columnsOf } from "./columns.ts";
import { lineSpans, type LineSpan, wrapSpans } from "./diff-line.ts";
import type { DiffRow, DiffRows, LineRow } from "./diff-rows.ts";
import type { ViewStyle } from "./view-style.ts";
import { labelledLines } from "./question-view.ts";
import type { Style } from "./terminal.ts";

/** A row, and which of its lines on the screen. */
export interface DiffPosition {
  readonly row: number;
  readonly piece: number;
}

export interface DiffPage {
  readonly lines: readonly string[];
  /** The first position that is not on the screen. */
  readonly end: DiffPosition;
}

const NARROW = 60;

export function diffPage(rows: DiffRows, from: DiffPosition, height: number, viewStyle: ViewStyle): DiffPage {
  const lines: string[] = [];
  let { row, piece } = from;
  while (row < rows.count && lines.length < height) {
    const drawn = drawRow(rows.at(row), rows.digits, viewStyle);
    const fitting = drawn.slice(piece, piece + height - lines.length);
    lines.push(...fitting);
    piece += fitting.length;
    if (piece >= drawn.length) [row, piece] = [row + 1, 0];
  }
  return { lines, end: { row, piece } };
}

/**
 * The position `steps` lines further or back. It stays between the first line and the position at which the last line is on
 * the screen.
 */
export function movePosition(
  rows: DiffRows,
  from: DiffPosition,
  steps: number,
  height: number,
  viewStyle: ViewStyle,
): DiffPosition {
  const position = steps < 0 ? back(rows, from, -steps, viewStyle) : diffPage(rows, from, steps, viewStyle).end;
  const last = lastPosition(rows, height, viewStyle);
  return isBefore(last, position) ? last : position;
}

/** The position from which the rest fits the screen. */
export function lastPosition(rows: DiffRows, height: number, viewStyle: ViewStyle): DiffPosition {
  return back(rows, { row: rows.count, piece: 0 }, height, viewStyle);
}

function back(rows: DiffRows, from: DiffPosition, steps: number, viewStyle: ViewStyle): DiffPosition {
  let { row, piece } = from;
  for (let left = steps; ;) {
    if (piece >= left) return { row, piece: piece - left };
    if (row === 0) return { row: 0, piece: 0 };
    left -= piece;
    row -= 1;
    piece = drawRow(rows.at(row), rows.digits, viewStyle).length;
  }
}

export const firstPosition: DiffPosition = { row: 0, piece: 0 };

/** Where a key of a pager leads; for any other key, the same position. */
export function scrollByKey(
  rows: DiffRows,
  position: DiffPosition,
  key: string,
  height: number,
  viewStyle: ViewStyle,
): DiffPosition {
  if (key === "g" || key === "home") return firstPosition;
  if (key === "G") return lastPosition(rows, height, viewStyle);
  const lines = { j: 1, down: 1, enter: 1, k: -1, up: -1 };
  const pages = { " ": height, "page-down": height, b: -height, "page-up": -height };
  const step = { ...lines, ...pages }[key];
  return step === undefined ? position : movePosition(rows, position, step, height, viewStyle);
}

export function isBefore(one: DiffPosition, other: DiffPosition): boolean {
  return one.row < other.row || (one.row === other.row && one.piece < other.piece);
}

/** Returns at least one line, none wider than the screen. */
function drawRow(row: DiffRow, digits: number, viewStyle: ViewStyle): string[] {
  switch (row.kind) {
    case "fact":
      return labelledLines(row.label, row.text, viewStyle, "bold");
    case "hunk": {
      const { oldStart, oldCount, newStart, newCount, section } = row.hunk;
      const range = `-${oldStart},${oldCount} +${newStart},${newCount} @@`;
      const spans = [
        ownSpan(range),
        ...(section === "" ? [] : [ownSpan(" "), ...lineSpans(section, [], viewStyle.isUnicode)]),
      ];
      return drawSpans(spans, { numbers: "", sign: "@", digits, styles: ["cyan"] }, viewStyle);
    }
    case "line":
      return drawLine(row, digits, viewStyle);
  }
}

function ownSpan(text: string): LineSpan {
  return { text, isSign: false, isChanged: false };
}

function drawLine(row: LineRow, digits: number, viewStyle: ViewStyle): string[] {
  const { line, text, piece, isLastPiece, oldNumber, newNumber, changed } = row;
  const numbers =
    viewStyle.width < NARROW
      ? String(newNumber ?? oldNumber).padStart(digits)
      : `${String(oldNumber ?? "").padStart(digits)} ${String(newNumber ?? "").padStart(digits)}`;
  const styles: readonly Style[] = { "-": ["red"], "+": ["green"], " ": [] }[line.sign] as readonly Style[];
  const goesOn = viewStyle.isUnicode ? "↪" : ">";
  const gutter = piece === 0 ? { numbers, sign: line.sign } : { numbers: "", sign: goesOn };
  const lines = drawSpans(lineSpans(text, changed, viewStyle.isUnicode), { ...gutter, digits, styles }, viewStyle);
  const note = (sign: string, said: string) =>
    drawSpans([ownSpan(said)], { numbers: "", sign, digits, styles: ["yellow"] }, viewStyle);
  return [...lines, ...(line.isUnterminated && isLastPiece ? note("\\", "No newline at end of file") : [])];
}

interface Gutter {
  readonly numbers: string;
  readonly sign: string;
  readonly digits: number;
  readonly styles: readonly Style[];
}

function drawSpans(spans: readonly LineSpan[], gutter: Gutter, viewStyle: ViewStyle): string[] {
  const [bar, goesOn] = viewStyle.isUnicode ? ["│", "↪"] : ["|", ">"];
  const width = viewStyle.width < NARROW ? gutter.digits : gutter.digits * 2 + 1;
  const before = (numbers: string, sign: string) =>
    `${viewStyle.paint(numbers.padStart(width), "dim")} ${viewStyle.paint(`${sign}${bar}`, ...gutter.styles)}`;
  return wrapSpans(spans, viewStyle.width - width - 3).flatMap((piece, index) => {
    const text = piece.map((span) => paintSpan(span, gutter.styles, viewStyle)).join("");
    const line = `${index === 0 ? before(gutter.numbers, gutter.sign) : before("", goesOn)}${text}`;
    const marks = hasColour(viewStyle) ? "" : changeMarks(piece);
    return marks === "" ? [line] : [line, `${before("", "^")}${marks}`];
  });
}

function paintSpan({ text, isSign, isChanged }: LineSpan, styles: readonly Style[], viewStyle: ViewStyle): string {
  const colour: readonly Style[] = isSign ? ["yellow"] : styles;
  return viewStyle.paint(text, ...colour, ...(isChanged ? (["bold"] as const) : []));
}

/** Without colours, marks the changes in a separate line below. No data can look like that line. */
function changeMarks(piece: readonly LineSpan[]): string {
  return piece
    .map(({ text, isChanged }) => (isChanged ? "^" : " ").repeat(columnsOf(text)))
    .join("")
    .trimEnd();
}

function hasColour(viewStyle: ViewStyle): boolean {
  return viewStyle.paint("x", "bold") !== "x";
}

/** Every line of the diff, for a terminal on which nothing is asked. */
export function* allLines(rows: DiffRows, viewStyle: ViewStyle): Generator<string> {
  for (let row = 0; row < rows.count; row += 1) yield* drawRow(rows.at(row), rows.digits, viewStyle);
}
