// Finds lists of words inside a text, as JSON, YAML, Python and rules write them: `[mysql, "-u", root, "-pX"]`. Each is read
// as an argv, like the argv of a call.
// Invariant: linear in the length of the text. Only the content of words that hold a secret is changed.

import { quotedSpan, type TextSpan } from "./quoted-span.ts";
import { redactWords } from "./redact-words.ts";

interface Item {
  readonly start: number;
  readonly end: number;
  /** The quotes around it; empty for a word without quotes. */
  readonly quote: string;
  readonly word: string;
}

export function redactLists(text: string, rule: (word: string) => string): string {
  if (!text.includes("[")) return text;
  let result = "";
  let position = 0;
  for (let at = text.indexOf("["); at !== -1;) {
    const { items, end } = readItems(text, at + 1);
    for (const { start, end: stop, shown } of items.length < 2 ? [] : changedItems(items, rule)) {
      result += text.slice(position, start) + shown;
      position = stop;
    }
    at = text.indexOf("[", end);
  }
  return result + text.slice(position);
}

function changedItems(items: readonly Item[], rule: (word: string) => string) {
  const argv = redactWords(
    items.map(({ word }) => word),
    (word) => word,
  );
  return items.flatMap(({ start, end, quote, word }, index) => {
    const isEscaped = word.length !== end - start;
    // Unescaped quotes are read together with the surrounding text.
    const shown = argv[index] === word && isEscaped ? rule(word) : (argv[index] ?? word);
    return shown === word ? [] : [{ start, end, shown: isEscaped ? escaped(shown, quote) : shown }];
  });
}

const blanks = /\s*/y;
const line = /[^\n]*/y;
const bare = /[^[\]{},"'\n\\]*/y;

/** Reads as far as the list goes, because a text may be cut anywhere. */
function readItems(text: string, from: number): { items: readonly Item[]; end: number } {
  const items: Item[] = [];
  let end = from;
  for (;;) {
    const one = readItem(text, endOfRun(blanks, text, end));
    if (one === null) return { items, end };
    items.push(one);
    end = endOfRun(blanks, text, one.end + one.quote.length);
    if (text[end] !== ",") return { items, end };
    end += 1;
  }
}

function readItem(text: string, at: number): Item | null {
  const quoted = quotedSpan(text, at) ?? unclosedSpan(text, at);
  if (quoted === undefined) {
    const word = text.slice(at, endOfRun(bare, text, at)).trimEnd();
    return word === "" ? null : { start: at, end: at + word.length, quote: "", word };
  }
  const { start, end } = quoted;
  const quote = text.slice(at, start);
  return { start, end, quote, word: text.slice(start, end).replace(/\\+(["'])|\\\\/g, (_, sign = "\\") => sign) };
}

function unclosedSpan(text: string, at: number): TextSpan | undefined {
  const quote = /^\\?["']/.exec(text.slice(at, at + 2))?.[0];
  return quote === undefined ? undefined : { start: at + quote.length, end: endOfRun(line, text, at) };
}

function escaped(word: string, quote: string): string {
  return word.replace(/["'\\]/g, (sign) => (sign === "\\" || quote.endsWith(sign) ? `\\${sign}` : sign));
}

function endOfRun(run: RegExp, text: string, from: number): number {
  run.lastIndex = from;
  return from + (run.exec(text)?.[0].length ?? 0);
}
