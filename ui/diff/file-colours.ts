// The syntax colours of a file's lines, computed block by block as they come near the screen.

import type { Insertion } from "./context.ts";
import { type FileLines, hunkOfLine } from "./file-lines.ts";
import type { Highlighter, TokenLines } from "./highlighter.ts";
import { openingOf } from "./language.ts";

const BLOCK_LINES = 300;
/** Lines to read before a block that does not begin its hunk, so that the highlighter knows the context. */
const LEAD_LINES = 60;
const LINE_CHARACTERS = 1_000;
const BLOCK_CHARACTERS = 60_000;

export class FileColours {
  readonly #file: FileLines;
  readonly #language: string;
  readonly #highlighter: Highlighter;
  readonly #changed: () => void;
  readonly #tokens: (readonly number[] | undefined)[];
  readonly #asked = new Set<number>();

  constructor(
    file: FileLines,
    language: string,
    highlighter: Highlighter,
    changed: () => void,
    known?: (readonly number[] | undefined)[],
  ) {
    this.#file = file;
    this.#language = language;
    this.#highlighter = highlighter;
    this.#changed = changed;
    this.#tokens = known ?? Array.from({ length: file.lines.length });
  }

  /** The same for `file`, after lines were inserted. Known colours stay until better ones are computed. */
  withLines(file: FileLines, { at, count }: Insertion): FileColours {
    const fresh = Array.from<undefined>({ length: count });
    const known = this.#tokens.toSpliced(at, 0, ...fresh);
    return new FileColours(file, this.#language, this.#highlighter, this.#changed, known);
  }

  at(line: number): readonly number[] | undefined {
    return this.#tokens[line];
  }

  /** Lines `from` to `to` (exclusive) are near the screen. */
  want(from: number, to: number): void {
    for (let at = from; at < to;) {
      const [start, end] = this.#blockOf(at);
      if (!this.#asked.has(start)) this.#ask(start, end);
      at = end;
    }
  }

  #blockOf(line: number): readonly [number, number] {
    const hunk = hunkOfLine(this.#file, line);
    const [from, to] = [this.#file.hunkFrom[hunk] as number, this.#file.hunkFrom[hunk + 1] as number];
    const start = from + Math.floor((line - from) / BLOCK_LINES) * BLOCK_LINES;
    return [start, Math.min(to, start + BLOCK_LINES)];
  }

  #ask(start: number, end: number): void {
    this.#asked.add(start);
    const hunkStart = this.#file.hunkFrom[hunkOfLine(this.#file, start)] as number;
    const lead = Math.max(hunkStart, start - LEAD_LINES);
    const sides = (["-", "+"] as const).map((sign) => this.#side(sign, lead, end));
    const texts = sides.map(({ text }) => text);
    if (texts.some((text) => text.length > BLOCK_CHARACTERS)) return;
    void this.#highlighter.highlight(this.#language, texts).then((found) => {
      if (found === undefined) this.#asked.delete(start);
      if (found === undefined || found === null) return;
      for (const [at, side] of sides.entries()) this.#take(side, found[at] ?? [], start);
      this.#changed();
    });
  }

  /** The text of one side, and the line number of each of its lines; -1 for a line that this class added. */
  #side(sign: "-" | "+", from: number, to: number): Side {
    const lines: number[] = [];
    const texts: string[] = [];
    for (let at = from; at < to; at += 1) {
      const line = this.#file.lines[at];
      if (line === undefined || (line.sign !== " " && line.sign !== sign)) continue;
      lines.push(at);
      texts.push(line.text.slice(0, LINE_CHARACTERS));
    }
    const isOld = sign === "-";
    // Most hunks have only context on the old side, which the new side has too.
    if (isOld && lines.every((at) => this.#file.lines[at]?.sign === " ")) return { lines: [], text: "" };
    const text = texts.join("\n");
    const opening = openingOf(this.#language, text);
    return opening === "" ? { lines, text } : { lines: [-1, ...lines], text: `${opening}\n${text}` };
  }

  #take({ lines }: Side, found: TokenLines, start: number): void {
    for (const [at, line] of lines.entries()) if (line >= start) this.#tokens[line] = found[at] ?? [];
  }
}

interface Side {
  readonly lines: readonly number[];
  readonly text: string;
}
