// A line that an agent wrote, made ready for a screen, with what changed in it; and broken where the screen ends.
// Invariant: nothing of it acts on the screen, and no blank of it is out of sight: tabs, blanks at the end and all that
// draws nothing are shown by signs, and the same signs in the data by their numbers.

import type { WordRange } from "../../git/publish/word-diff.ts";
import { displayText } from "../../shared/display.ts";
import { columnsOf, splitColumns } from "./columns.ts";
import { safeForStyle } from "./question-view.ts";

export interface LineSpan {
  readonly text: string;
  /** Not the character itself, but a sign for it. */
  readonly isSign: boolean;
  readonly isChanged: boolean;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const ourSigns = new Set(["⇥", "␣"]);

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

/** Where the blanks at its end begin. */
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

/** What a reader sees as one character each; and blanks that are too many to be counted by eye as one. */
function* partsOf(text: string): Generator<string> {
  for (const piece of text.split(/( {33,})/))
    if (piece.length > 32 && piece.trim() === "" && piece.startsWith(" ")) yield piece;
    else for (const { segment } of graphemes.segment(piece)) yield segment;
}

function shownPart(part: string, isTail: boolean, isUnicode: boolean): string {
  if (part === "\t") return isUnicode ? "⇥" : "\\t";
  if (part === " ") return !isTail ? " " : isUnicode ? "␣" : "\\x20";
  // A letter with its mark is one part; so is CR LF, but no line holds one.
  if (ourSigns.has(part)) return `\\u{${(part.codePointAt(0) as number).toString(16)}}`;
  return safeForStyle(displayText(part, { maxLength: 100_000 }), { isUnicode });
}

function push(spans: LineSpan[], span: LineSpan): void {
  const last = spans.at(-1);
  if (last?.isSign === span.isSign && last.isChanged === span.isChanged)
    spans[spans.length - 1] = { ...last, text: last.text + span.text };
  else spans.push(span);
}

/** Rows of at most `width` columns that together are all spans. At least one. */
export function wrapSpans(spans: readonly LineSpan[], width: number): LineSpan[][] {
  const rows: LineSpan[][] = [[]];
  let used = 0;
  for (const span of spans)
    for (let rest = span.text; rest !== "";) {
      const fitting = firstColumns(rest, width - used);
      // What terminals draw in one place may still be wider than the screen.
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

/** As much of it as fits; empty when nothing does. */
function firstColumns(text: string, columns: number): string {
  if (columns <= 0) return "";
  const start = text.slice(0, columns);
  if (/^[ -~]*$/.test(start) && /^[ -~]?$/.test(text.slice(columns, columns + 1))) return start;
  const first = splitColumns(text.slice(0, columns * 8 + 64), Math.max(2, columns))[0] ?? "";
  return columnsOf(first) <= columns ? first : "";
}

/** The beginning of it, and how many code points the rest has. */
export function cutCharacters(text: string, most: number): { readonly shown: string; readonly rest: number } {
  if (text.length <= most) return { shown: text, rest: 0 };
  const isSplit = (text.codePointAt(most - 1) as number) > 0xffff;
  const end = isSplit ? most - 1 : most;
  let rest = 0;
  for (let at = end; at < text.length; at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1) rest += 1;
  return { shown: text.slice(0, end), rest };
}
