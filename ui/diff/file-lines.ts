// A file's hunks as one list of lines, each with its numbers and its counterpart on the other side.

import type { DiffHunk, DiffLine } from "../../src/action/diff-file.ts";
import { indexHunk } from "../../src/git/publish/hunk-index.ts";
import { cutsOf, PIECE_CHARACTERS } from "./line-pieces.ts";

export interface FileLines {
  readonly hunks: readonly DiffHunk[];
  readonly lines: readonly DiffLine[];
  /** The index in `lines` at which each hunk begins; the last element is the number of lines. */
  readonly hunkFrom: Int32Array;
  /** For each line. The number of the side that the line is not on has no meaning. */
  readonly oldNumber: Int32Array;
  readonly newNumber: Int32Array;
  /** The line's counterpart on the other side; -1 if there is none. */
  readonly partner: Int32Array;
  /** The number of pieces before each line; the last element is the total. See line-pieces.ts. */
  readonly pieceFrom: Int32Array;
  /** For lines with more than one piece: where the pieces after the first begin. */
  readonly cuts: ReadonlyMap<number, readonly number[]>;
  /** The number of digits of the largest line number. */
  readonly digits: number;
  /** The approximate width of the longest line in columns. */
  readonly columns: number;
  /** The number of lines in the new file; null if the lines that the hunks leave out cannot be loaded. */
  readonly newLines: number | null;
}

export function fileLines(hunks: readonly DiffHunk[], newLines: number | null = null): FileLines {
  const count = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const lines: DiffLine[] = [];
  const hunkFrom = new Int32Array(hunks.length + 1);
  const oldNumber = new Int32Array(count);
  const newNumber = new Int32Array(count);
  const partner = new Int32Array(count);
  const pieceFrom = new Int32Array(count + 1);
  const cuts = new Map<number, readonly number[]>();
  let columns = 0;
  for (const [at, hunk] of hunks.entries()) {
    const from = lines.length;
    const index = indexHunk(hunk);
    hunkFrom[at] = from;
    oldNumber.set(index.old, from);
    newNumber.set(index.new, from);
    partner.set(
      index.partner.map((other) => (other < 0 ? -1 : other + from)),
      from,
    );
    for (const line of hunk.lines) {
      const cut = line.text.length > PIECE_CHARACTERS ? cutsOf(line.text) : [];
      if (cut.length > 0) cuts.set(lines.length, cut);
      pieceFrom[lines.length + 1] = (pieceFrom[lines.length] as number) + cut.length + 1;
      lines.push(line);
      columns = Math.max(columns, columnsOf(line));
    }
  }
  hunkFrom[hunks.length] = count;
  const last = hunks.at(-1);
  const ends = last === undefined ? [1] : [last.oldStart + last.oldCount, last.newStart + last.newCount];
  const left = newLines === null ? 0 : Math.max(0, newLines + 1 - (ends[1] ?? 0));
  // Counts the lines that can be shown below, so that nothing moves sideways when they are.
  const digits = String(Math.max(...ends) + left).length;
  return { hunks, lines, hunkFrom, oldNumber, newNumber, partner, pieceFrom, cuts, digits, columns, newLines };
}

export function pieceCount({ cuts }: FileLines, line: number): number {
  return (cuts.get(line)?.length ?? 0) + 1;
}

/** The start and end of a piece of a line. */
export function pieceSpan(
  { cuts, lines }: FileLines,
  line: number,
  piece: number,
): readonly [from: number, to: number] {
  const cut = cuts.get(line) ?? [];
  return [piece === 0 ? 0 : (cut[piece - 1] as number), cut[piece] ?? (lines[line] as DiffLine).text.length];
}

/** The line to which a piece of the file belongs. */
export function lineOfPiece({ pieceFrom }: FileLines, piece: number): number {
  return lastAtMost(pieceFrom, piece);
}

/** The hunk that contains the line. */
export function hunkOfLine({ hunkFrom }: FileLines, line: number): number {
  return lastAtMost(hunkFrom, line);
}

/** The last element of `starts` is an end. */
function lastAtMost(starts: Int32Array, value: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

const MARK_COLUMNS = 36;

// An estimate is enough: only the width of horizontal scrolling depends on it.
function columnsOf({ text, isUnterminated }: DiffLine): number {
  const start = text.length > PIECE_CHARACTERS ? text.slice(0, PIECE_CHARACTERS) : text;
  const marks = (isUnterminated ? MARK_COLUMNS : 0) + (text.length > PIECE_CHARACTERS ? MARK_COLUMNS : 0);
  if (/^[ -~]*$/.test(start)) return start.length + marks;
  const tabs = start.split("\t").length - 1;
  return (/^[\t -~]*\r?$/.test(start) ? start.length + 3 * tabs : start.length * 2) + marks;
}
