// Makes a line that an agent wrote safe to display, marks what changed in it, and wraps it to the screen's width.
// Invariant: nothing in the line can control the terminal, and no whitespace is invisible. Signs stand for tabs, trailing
// blanks and characters that draw nothing. If the data contains such a sign, its code is shown.

import type { WordRange } from "../../git/publish/word-diff.ts";
import { displayText } from "../../shared/display.ts";
import { columnsOf, splitColumns } from "./columns.ts";
import { safeForStyle } from "./question-view.ts";

export interface LineSpan {
  readonly text: string;
  /** True if the text is a sign that stands for the character. */
  readonly isSign: boolean;
  readonly isChanged: boolean;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const signs = new Set(["⇥", "␣"]);

export function lineSpans(text: string, changed: readonly WordRange[], isUnicode: boolean): LineSpan[] {
  const tail = tailOf(text);
  const isPlain = tail === text.length && /^[ -~]*$/.test(text) && !/ {33}/.test(text);
  if (isPlain) return plainSpans(text, changed);
  const spans: LineSpan[] = [];
  let [at, next] = [0, 0];
  for (const part of partsOf(text)) {
    while (next < changed.length && (changed[next] as WordRange)[1] <= at) next += 1;
    const range = changed[next];
    const isChanged = range !== undefined && range[0] < at + part.length;
    const shown = shownPart(part, at >= tail, isUnicode);
    push(spans, { text: shown, isSign: shown !== part, isChanged });
    at += part.length;
  }
  return spans;
}

/** The index at which the trailing blanks begin. */
function tailOf(text: string): number {
  let at = text.length;
  while (at > 0 && " \t\r".includes(text.charAt(at - 1))) at -= 1;
  return at;
}

function plainSpans(text: string, changed: readonly WordRange[]): LineSpan[] {
  const spans: LineSpan[] = [];
  let at = 0;
  for (const [from, to] of changed) {
    if (from > at) spans.push({ text: text.slice(at, from), isSign: false, isChanged: false });
    if (to > from) spans.push({ text: text.slice(from, to), isSign: false, isChanged: true });
    at = to;
  }
  if (at < text.length) spans.push({ text: text.slice(at), isSign: false, isChanged: false });
  return spans;
}

/** Splits the text into graphemes. A run of blanks that is too long to count by eye is one part. */
function* partsOf(text: string): Generator<string> {
  for (const piece of text.split(/( {33,})/))
    if (piece.length > 32 && piece.trim() === "" && piece.startsWith(" ")) yield piece;
    else for (const { segment } of graphemes.segment(piece)) yield segment;
}

function shownPart(part: string, isTail: boolean, isUnicode: boolean): string {
  if (part === "\t") return isUnicode ? "⇥" : "\\t";
  if (part === " ") return !isTail ? " " : isUnicode ? "␣" : "\\x20";
  // A letter with its combining mark is one part. So is CR LF, but no line contains one.
  if (signs.has(part)) return `\\u{${(part.codePointAt(0) as number).toString(16)}}`;
  return safeForStyle(displayText(part, { maxLength: 100_000 }), { isUnicode });
}

function push(spans: LineSpan[], span: LineSpan): void {
  const last = spans.at(-1);
  if (last?.isSign === span.isSign && last.isChanged === span.isChanged)
    spans[spans.length - 1] = { ...last, text: last.text + span.text };
  else spans.push(span);
}

/** Wraps the spans into rows of at most `width` columns, without loss. Returns at least one row. */
export function wrapSpans(spans: readonly LineSpan[], width: number): LineSpan[][] {
  const rows: LineSpan[][] = [[]];
  let used = 0;
  for (const span of spans)
    for (let rest = span.text; rest !== "";) {
      const fitting = firstColumns(rest, width - used);
      // A single grapheme can still be wider than the screen.
      const piece = fitting === "" && used === 0 ? String.fromCodePoint(rest.codePointAt(0) as number) : fitting;
      if (piece === "") {
        rows.push([]);
        used = 0;
        continue;
      }
      rows.at(-1)?.push({ ...span, text: piece });
      used += columnsOf(piece);
      rest = rest.slice(piece.length);
    }
  return rows;
}

/** The longest prefix that fits; empty if nothing fits. */
function firstColumns(text: string, columns: number): string {
  if (columns <= 0) return "";
  const start = text.slice(0, columns);
  if (/^[ -~]*$/.test(start) && /^[ -~]?$/.test(text.slice(columns, columns + 1))) return start;
  const first = splitColumns(text.slice(0, columns * 8 + 64), Math.max(2, columns))[0] ?? "";
  return columnsOf(first) <= columns ? first : "";
}

/** The beginning of the text, and the number of code points in the rest. */
export function cutCharacters(text: string, most: number): { readonly shown: string; readonly rest: number } {
  if (text.length <= most) return { shown: text, rest: 0 };
  const isSplit = (text.codePointAt(most - 1) as number) > 0xffff;
  const end = isSplit ? most - 1 : most;
  let rest = 0;
  for (let at = end; at < text.length; at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1) rest += 1;
  return { shown: text.slice(0, end), rest };
}
