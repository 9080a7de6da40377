// Makes a line that an agent wrote safe for the page: spans of the same style, each of them only text.
// Invariant: nothing in the line can act on the page or is invisible. A sign stands for a character that draws nothing, and
// the same sign in the data is shown by its code. The spans together are the line, in order.

import type { WordRange } from "../../src/git/publish/word-diff.ts";
import { displayText } from "../../src/shared/display.ts";

/** `tab` and `blank` (at the end of a line) are the characters themselves, made visible. A `sign` replaces other characters. */
export type SpanKind = "text" | "tab" | "blank" | "sign";

export interface LineSpan {
  readonly text: string;
  readonly kind: SpanKind;
  /** The kind of syntax; empty if there is none. */
  readonly token: string;
  readonly isChanged: boolean;
  readonly isHit: boolean;
}

/** Start, end (exclusive) and kind: three numbers a range, in order and not nested. */
export type TokenRanges = readonly number[];

export interface SpanOptions {
  readonly changed?: readonly WordRange[];
  readonly tokens?: TokenRanges;
  readonly tokenName?: (token: number) => string;
  /** The text of the search; empty if there is none. */
  readonly query?: string;
  /** The line continues in the next piece, so blanks at the end of this text are not trailing. */
  readonly isCut?: boolean;
}

interface Piece {
  readonly kind: SpanKind;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export function lineSpans(text: string, options: SpanOptions = {}): LineSpan[] {
  const spans: LineSpan[] = [];
  const changed = new RangeWalk(options.changed ?? []);
  const tokens = new TokenWalk(options.tokens ?? []);
  for (const piece of piecesOf(text, options.isCut)) {
    for (let at = piece.from; at < piece.to;) {
      // Literal text can be split anywhere. A sign cannot be split.
      const end = piece.kind === "sign" ? piece.to : Math.min(piece.to, changed.endAt(at), tokens.endAt(at));
      const token = tokens.at(at);
      push(spans, {
        text: piece.kind === "sign" ? piece.text : piece.text.slice(at - piece.from, end - piece.from),
        kind: piece.kind,
        token: token < 0 ? "" : (options.tokenName?.(token) ?? ""),
        isChanged: changed.isIn(at, end),
        isHit: false,
      });
      at = end;
    }
  }
  return options.query === undefined || options.query === "" ? spans : withHits(spans, options.query);
}

/** The line as the page shows it. */
export function shownLine(text: string): string {
  if (isPlain(text)) return text;
  return piecesOf(text)
    .map((piece) => piece.text)
    .join("");
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text) && !text.endsWith(" ") && !text.includes(LONG_BLANK);
}

const LONG_BLANK = " ".repeat(33);
const NO_CUT = 1_000_000_000;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const special = /(\t+| {33,}|␣)/;

function piecesOf(text: string, isCut = false): Piece[] {
  if (isPlain(text)) return text === "" ? [] : [{ kind: "text", text, from: 0, to: text.length }];
  const end = text.endsWith("\r") ? text.length - 1 : text.length;
  let tail = end;
  while (!isCut && (text[tail - 1] === " " || text[tail - 1] === "\t")) tail -= 1;
  const pieces: Piece[] = [];
  let at = 0;
  const add = (kind: SpanKind, shown: string, length: number): void => {
    pieces.push({ kind, text: shown, from: at, to: at + length });
    at += length;
  };
  const thirds = [text.slice(0, tail), text.slice(tail, end), text.slice(end)];
  for (const part of thirds.flatMap((third) => third.split(special))) {
    if (part === "") continue;
    if (part.startsWith("\t")) add("tab", part, part.length);
    else if (part === "␣") add("sign", "\\u{2423}", 1);
    else if (at >= tail && /^ {1,32}$/.test(part)) add("blank", part, part.length);
    else addOrdinary(part, add);
  }
  return pieces;
}

function addOrdinary(part: string, add: (kind: SpanKind, shown: string, length: number) => void): void {
  const whole = displayText(part, { maxLength: NO_CUT });
  if (whole === part) return add("text", part, part.length);
  if (part.startsWith(LONG_BLANK)) return add("sign", whole, part.length);
  let plain = "";
  const flush = (): void => {
    if (plain !== "") add("text", plain, plain.length);
    plain = "";
  };
  for (const { segment } of graphemes.segment(part)) {
    const shown = displayText(segment, { maxLength: NO_CUT });
    if (shown === segment) {
      plain += segment;
      continue;
    }
    flush();
    add("sign", shown, segment.length);
  }
  flush();
}

class RangeWalk {
  readonly #ranges: readonly WordRange[];
  #next = 0;

  constructor(ranges: readonly WordRange[]) {
    this.#ranges = ranges;
  }

  #rangeFrom(at: number): WordRange | undefined {
    while (this.#next < this.#ranges.length && (this.#ranges[this.#next] as WordRange)[1] <= at) this.#next += 1;
    return this.#ranges[this.#next];
  }

  endAt(at: number): number {
    const range = this.#rangeFrom(at);
    return range === undefined ? NO_CUT : range[0] > at ? range[0] : range[1];
  }

  isIn(from: number, to: number): boolean {
    const range = this.#rangeFrom(from);
    return range !== undefined && range[0] < to;
  }
}

class TokenWalk {
  readonly #ranges: TokenRanges;
  #next = 0;

  constructor(ranges: TokenRanges) {
    this.#ranges = ranges;
  }

  #skip(at: number): void {
    while (this.#next < this.#ranges.length && (this.#ranges[this.#next + 1] as number) <= at) this.#next += 3;
  }

  endAt(at: number): number {
    this.#skip(at);
    const [from, to] = [this.#ranges[this.#next], this.#ranges[this.#next + 1]];
    return from === undefined || to === undefined ? NO_CUT : from > at ? from : to;
  }

  at(at: number): number {
    this.#skip(at);
    const from = this.#ranges[this.#next];
    return from === undefined || from > at ? -1 : (this.#ranges[this.#next + 2] as number);
  }
}

function push(spans: LineSpan[], span: LineSpan): void {
  const last = spans.at(-1);
  const isSame =
    last !== undefined && last.kind === span.kind && last.token === span.token && last.isChanged === span.isChanged;
  if (isSame) spans[spans.length - 1] = { ...last, text: last.text + span.text };
  else spans.push(span);
}

/** The matches of `query` in `text`. Lower-case letters also match upper case. */
export function hitsOf(text: string, query: string): WordRange[] {
  const isSmall = query === query.toLowerCase();
  const lower = text.toLowerCase();
  // Some letters change their length in lower case. Then only the exact spelling matches.
  const there = isSmall && lower.length === text.length ? lower : text;
  const hits: WordRange[] = [];
  for (let at = there.indexOf(query); at >= 0; at = there.indexOf(query, at + query.length))
    hits.push([at, at + query.length]);
  return hits;
}

function withHits(spans: readonly LineSpan[], query: string): LineSpan[] {
  const hits = hitsOf(spans.map(({ text }) => text).join(""), query);
  if (hits.length === 0) return [...spans];
  const walk = new RangeWalk(hits);
  const out: LineSpan[] = [];
  let start = 0;
  for (const span of spans) {
    const stop = start + span.text.length;
    for (let at = start; at < stop;) {
      const end = Math.min(stop, walk.endAt(at));
      out.push({ ...span, text: span.text.slice(at - start, end - start), isHit: walk.isIn(at, end) });
      at = end;
    }
    start = stop;
  }
  return out;
}
