// Finds where unquoted values end in one text.
// Invariant: a text in which each value contains the next name (`key={{key={{…`) is read once, not once per name.

import { quotedSpan } from "./quoted-span.ts";

// Each pattern matches one character at a time, so what begins inside a run ends where the run ends.
const runs = {
  /** The end of a line may be escaped, as `\n`. */
  word: /(?:[^\s,;#(){}"'`\\<>\]]|\\(?![nrt"'\\]))*/y,
  shell: /[^\s"'`;&|<>()\\]*/y,
  header: /[^"'`\r\n\\]*/y,
} as const;

export class RunEnds {
  readonly #text: string;
  readonly #last = new Map<keyof typeof runs, { readonly from: number; readonly end: number }>();
  /** Where the shell word at this offset ends. */
  readonly #wordEnds = new Map<number, number>();

  constructor(text: string) {
    this.#text = text;
  }

  of(kind: keyof typeof runs, from: number): number {
    const last = this.#last.get(kind);
    if (last !== undefined && last.from <= from && from <= last.end) return last.end;
    const end = endOfMatch(runs[kind], this.#text, from);
    this.#last.set(kind, { from, end });
    return end;
  }

  /** Quotes and escaped characters belong to the word. */
  shellWord(start: number): number {
    const text = this.#text;
    const passed: number[] = [];
    let end = start;
    for (;;) {
      const next = this.of("shell", end);
      const known = this.#wordEnds.get(next);
      const quoted = known === undefined ? quotedSpan(text, next) : undefined;
      passed.push(next);
      if (quoted !== undefined && text[next] !== "\\") end = quoted.after;
      else if (known === undefined && isEscape(text, next)) end = next + 2;
      else {
        for (const offset of passed) this.#wordEnds.set(offset, known ?? next);
        return known ?? next;
      }
    }
  }
}

function isEscape(text: string, at: number): boolean {
  return text[at] === "\\" && at + 1 < text.length && !/["'\nnrt\\]/.test(text[at + 1] as string);
}

/** `pattern` is sticky. */
export function endOfMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}
