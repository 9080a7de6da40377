// Splits the commands in a text into words with their offsets. It knows enough of a shell's quoting to tell words apart.
// Invariant: linear in the length of the text. Only redaction uses it; no decision depends on it.

import { quotedSpan, type TextSpan } from "./quoted-span.ts";

export interface TextWord {
  /** Without the quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Set if the word is one quoted text: where that text begins and ends. */
  readonly inner: { readonly start: number; readonly end: number } | null;
}

export interface TextCommand {
  readonly words: readonly TextWord[];
  /** What ended the command: `|`, or another separator. */
  readonly end: string;
  readonly stop: number;
}

const MOST_WORDS = 500;
const MOST_QUOTED_LINES = 400; // characters
const plain = /[^\s"'`;&|()\\]+/y;
const separators = /[;&|()`\n]/;

/** `isNested`: the text was inside quotes, where `\n` ends a line. */
export function* textCommands(text: string, from: number, to: number, isNested: boolean): Generator<TextCommand> {
  let words: TextWord[] = [];
  let at = from;
  while (at < to) {
    const sign = text[at] as string;
    const isEscapedLine = isNested && sign === "\\" && /[nr]/.test(text[at + 1] ?? "");
    if (sign === " " || sign === "\t") at += 1;
    else if (isEscapedLine || separators.test(sign)) {
      if (words.length > 0) yield { words, end: isEscapedLine ? "\n" : sign, stop: at };
      words = [];
      at += isEscapedLine ? 2 : 1;
    } else if (sign === "\\" && text[at + 1] === "\n") at += 2;
    else if (isNested && sign === "\\" && text[at + 1] === "t") at += 2;
    else if (/\s/.test(sign)) at += 1;
    else {
      const word = readWord(text, at, to, isNested);
      at = Math.max(word.end, at + 1);
      words.push(word);
      if (words.length >= MOST_WORDS) {
        yield { words, end: "", stop: at };
        words = [];
      }
    }
  }
  if (words.length > 0) yield { words, end: "", stop: to };
}

function readWord(text: string, start: number, to: number, isNested: boolean): TextWord {
  let at = start;
  let said = "";
  let inner: TextWord["inner"] = null;
  let pieces = 0;
  while (at < to) {
    plain.lastIndex = at;
    const run = plain.exec(text)?.[0].slice(0, to - at);
    if (run !== undefined && run !== "") {
      said += run;
      at += run.length;
      pieces += 1;
      continue;
    }
    const quoted = quotedSpan(text, at);
    if (quoted !== undefined && quoted.end < to && !isLeftOpen(text, at, quoted)) {
      const { start: begin, end, after } = quoted;
      said += text.slice(begin, end);
      inner = pieces === 0 ? { start: begin, end } : null;
      at = after;
      pieces += 1;
      continue;
    }
    if (text[at] === "\\" && at + 1 < to && !/[\n"']/.test(text[at + 1] as string)) {
      if (isNested && /[nrt]/.test(text[at + 1] as string)) break;
      said += text[at + 1];
      at += 2;
    } else if (/["'\\]/.test(text[at] as string)) {
      said += text[at];
      at += 1;
    } else break;
    pieces += 1;
  }
  return { text: said, start, end: at, inner: pieces === 1 ? inner : null };
}

/** A quote that closes on another line: an apostrophe (`don't`), or a quoted script, whose lines are read one by one. */
function isLeftOpen(text: string, at: number, { start, end }: TextSpan): boolean {
  if (!text.slice(start, end).includes("\n")) return false;
  return end - start > MOST_QUOTED_LINES || (text[at] === "'" && /[A-Za-z]/.test(text[at - 1] ?? ""));
}

/** The offset in the text of the character with this index in the unquoted word. */
export function offsetInText(text: string, { start, end, inner, text: said }: TextWord, index: number): number {
  if (inner !== null) return inner.start + index;
  let at = start;
  for (let done = 0; at < end; at += 1) {
    const isSame = text[at] === said[done];
    if (done === index && isSame) return at;
    if (isSame) done += 1;
    else if (done === index && !/["'\\]/.test(text[at] as string)) return at;
  }
  return at;
}
