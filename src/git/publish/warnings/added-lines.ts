// Measures the lines that a change adds to a file: how many there are, how long they are, and how many blank lines in a row
// precede other lines.

import type { DiffFile } from "../../../action/diff-file.ts";

interface LineRuns {
  readonly longest: { readonly line: number; readonly length: number };
  /** The longest run of added blank lines that is followed by another added line. */
  readonly blanks: { readonly count: number; readonly nextLine: number };
}

export interface AddedLines extends LineRuns {
  readonly count: number;
}

/** `content` is the new content, used for a file that was not compared. Null if its lines cannot be found in the bytes. */
export function addedLines(diff: DiffFile, content: Uint8Array | null): AddedLines {
  const lines = new Lines();
  if (diff.hunks.length === 0) {
    if (diff.parts !== undefined && content !== null) addBytes(lines, content);
    return { ...lines.said(), count: diff.added };
  }
  for (const hunk of diff.hunks) {
    let number = hunk.newStart;
    for (const { sign, text } of hunk.lines) {
      if (sign === "+") lines.add(number, text.length, text.length === 0 || /^\s*$/.test(text));
      else lines.end();
      if (sign !== "-") number += 1;
    }
    lines.end();
  }
  return { ...lines.said(), count: diff.added };
}

function addBytes(lines: Lines, content: Uint8Array): void {
  let number = 1;
  for (let from = 0; from < content.length; number += 1) {
    const feed = content.indexOf(0x0a, from);
    const to = feed < 0 ? content.length : feed;
    lines.add(number, to - from, isBlank(content, from, to));
    from = to + 1;
  }
}

function isBlank(content: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = content[at] as number;
    if (byte !== 0x20 && !(byte >= 0x09 && byte <= 0x0d)) return false;
  }
  return true;
}

class Lines {
  #longest = { line: 0, length: 0 };
  #blanks = { count: 0, nextLine: 0 };
  #run = 0;

  add(line: number, length: number, isBlankLine: boolean): void {
    if (length > this.#longest.length) this.#longest = { line, length };
    if (isBlankLine) {
      this.#run += 1;
      return;
    }
    if (this.#run > this.#blanks.count) this.#blanks = { count: this.#run, nextLine: line };
    this.#run = 0;
  }

  /** Ends a run of blank lines, because the next line is not added. */
  end(): void {
    this.#run = 0;
  }

  said(): LineRuns {
    return { longest: this.#longest, blanks: this.#blanks };
  }
}
