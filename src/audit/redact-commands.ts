// Finds secrets in the commands inside a text: a script, a line of a message, a quoted command.
// Invariant: linear in the length of the text. Only words that are secrets are changed.

import { type TextWord, offsetInText, type TextCommand, textCommands } from "./command-words.ts";
import { Lines } from "./text-lines.ts";
import type { TextSpan } from "./quoted-span.ts";
import { isReference } from "./reference.ts";
import { namedFrom, programCuts, readsSecret, tabledProgram } from "./redact-words.ts";
import { isSecretName } from "./secret-name.ts";
import { redacted } from "./secret-shape.ts";

const QUOTES_DEEP = 3;
const LINES_BACK = 20;
/** Matches a flag with a quote in it, and a flag that names a secret for any program. */
const tellingFlag = String.raw`(?<![\w-])--?[A-Za-z][A-Za-z-]{0,40}\\{0,7}["'][A-Za-z-]|-stdin\b|--with-token\b`;
const telling = new RegExp(`${tabledProgram.source}|${tellingFlag}`, "g");

/** Only lines that could hold a secret are parsed. */
export function redactCommands(text: string): string {
  const search = new Search(text);
  let scanned = 0;
  telling.lastIndex = 0;
  for (let match = telling.exec(text); match !== null; match = telling.exec(text)) {
    const at = match.index;
    scanned = search.read(lineStart(text, at, scanned), text.length, at, 0);
    telling.lastIndex = Math.max(scanned, at + match[0].length);
  }
  return search.result();
}

/** Whether one of the commands in this text gets a secret on standard input. */
export function textReadsSecret(text: string): boolean {
  telling.lastIndex = 0;
  if (!telling.test(text)) return false;
  for (const { words } of textCommands(text, 0, text.length, false))
    if (readsSecret(words.map((word) => word.text))) return true;
  return false;
}

/** The beginning of the line at this offset, or of an earlier line that continues into it: by a pipe, a backslash or an open quote. */
function lineStart(text: string, at: number, least: number): number {
  let end = at;
  for (let lines = 0; lines < LINES_BACK; lines += 1) {
    const start = text.lastIndexOf("\n", end - 1);
    if (start <= least) return least;
    const isOpen = isOdd(text, "'", start, end) || isOdd(text, '"', start, end);
    if (!isOpen && !/[|\\]/.test(text[start - 1] as string)) return start + 1;
    end = start;
  }
  return end;
}

function isOdd(text: string, sign: string, from: number, to: number): boolean {
  let count = 0;
  for (let at = from; at < to; at += 1) if (text[at] === sign) count += 1;
  return count % 2 === 1;
}

class Search {
  readonly #text: string;
  readonly #spans: TextSpan[] = [];
  #lines: Lines | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads commands up to the end of the line that contains `least`, and returns that end. */
  read(from: number, to: number, least: number, depth: number): number {
    let before: TextCommand | null = null;
    for (const command of textCommands(this.#text, from, to, depth > 0)) {
      const { words } = command;
      const texts = words.map((word) => word.text);
      for (const [index, [start, end]] of programCuts(texts)) this.#take(words[index] as TextWord, start, end);
      for (const word of words) this.#readWord(word, depth);
      const isReader = readsSecret(texts);
      if (isReader && before?.end === "|") this.#takePrinted(before);
      if (isReader || (texts.includes("read") && texts.some((word) => isSecretName(word)))) this.#takeHereText(command);
      before = command;
      if (command.stop >= least && command.end === "\n") return command.stop;
    }
    return to;
  }

  result(): string {
    let result = "";
    let position = 0;
    for (const { start, end } of this.#spans.sort((a, b) => a.start - b.start)) {
      if (start < position || end <= start || this.#text.startsWith(redacted, start)) continue;
      result += this.#text.slice(position, start) + redacted;
      position = end;
    }
    return result + this.#text.slice(position);
  }

  #readWord(word: TextWord, depth: number): void {
    const { inner, text, start } = word;
    if (inner !== null && depth < QUOTES_DEEP && /\s/.test(text))
      this.read(inner.start, inner.end, inner.end, depth + 1);
    // `--pass"word"=x` is one word; no other reader sees its name.
    const from = inner === null ? namedFrom(text) : null;
    if (from !== null && !this.#text.startsWith(text.slice(0, from), start)) this.#take(word, from, text.length);
  }

  /** The text that `echo` and `printf` pipe into the next command. */
  #takePrinted({ words }: TextCommand): void {
    const at = words.findIndex((word) => /^(?:echo|printf)$/.test(word.text));
    if (at < 0) return;
    for (const word of words.slice(at + 1))
      if (!/^-[neE]+$|^(?:%[sb]|\\n|\\r)*$|^[<>]/.test(word.text) && !isReference(word.text))
        this.#take(word, 0, word.text.length);
  }

  /** `<<< x`, and the lines of `<<EOF`. */
  #takeHereText({ words, stop }: TextCommand): void {
    for (const [index, word] of words.entries()) {
      const isApart = word.text === "<<<";
      const said = isApart ? words[index + 1] : word;
      const from = isApart ? 0 : 3;
      if (word.text.startsWith("<<<") && said !== undefined && !isReference(said.text.slice(from)))
        this.#take(said, from, said.text.length);
      const mark = /^<<-?(\w+)$/.exec(word.text)?.[1];
      if (mark !== undefined) this.#takeLines(stop, mark);
    }
  }

  #takeLines(after: number, mark: string): void {
    this.#lines ??= new Lines(this.#text);
    const start = this.#lines.nextStart(after);
    const end = start === undefined ? undefined : this.#lines.nextWith(mark, start);
    if (start !== undefined && end !== undefined) this.#spans.push({ start, end: end - 1 });
  }

  #take(word: TextWord, from: number, to: number): void {
    this.#spans.push(spanOf(this.#text, word, from, to));
  }
}

/** A closing quote after the value stays. */
function spanOf(text: string, word: TextWord, from: number, to: number): TextSpan {
  if (word.inner !== null) return { start: word.inner.start + from, end: word.inner.start + to };
  const start = offsetInText(text, word, from);
  if (to < word.text.length) return { start, end: offsetInText(text, word, to) };
  const hasQuote = /["']$/.test(text.slice(start + 1, word.end)) && /["']/.test(text.slice(word.start, start));
  return { start, end: hasQuote ? word.end - (text[word.end - 2] === "\\" ? 2 : 1) : word.end };
}
