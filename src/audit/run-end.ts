// Where values without quotes end in one text.
// Invariant: a text in which each value holds the next name (`key={{key={{…`) is read once, not once for each name.

import { quotedSpan } from "./quoted-span.ts";

// Each takes one character at a time: what begins inside of such a run ends where the run ends.
const runs = {
  /** A line's end may be written out. */
  word: /(?:[^\s,;#(){}"'`\\<>\]]|\\(?![nrt"'\\]))*/y,
  shell: /[^\s"'`;&|<>()\\]*/y,
  header: /[^"'`\r\n\\]*/y,
} as const;

export class RunEnds {
  readonly #text: string;
  readonly #last = new Map<keyof typeof runs, { readonly from: number; readonly end: number }>();
  /** Where a word of a shell ends that goes on here. */
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

  /** Quotes and escaped characters are part of a word. */
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
        for (const place of passed) this.#wordEnds.set(place, known ?? next);
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
