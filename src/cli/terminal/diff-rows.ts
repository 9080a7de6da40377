// The rows of a file's diff. The content of a row is computed when it is requested, so that a diff of any length opens at once.

import {
  commitText,
  encodingNotes,
  groupDigits,
  modeText,
  operationNames,
  partText,
  sinceNames,
  sizeChange,
} from "../../action/diff-facts.ts";
import type { DiffCommit, DiffFile, DiffHunk, DiffLine } from "../../action/diff-file.ts";
import { landsContent } from "../../action/review-duty.ts";
import { type HunkIndex, indexHunk } from "../../git/publish/hunk-index.ts";
import { wordChanges, type WordRange } from "../../git/publish/word-diff.ts";
import { displayText } from "../../shared/display.ts";
import { displayName } from "../../shared/odd-name.ts";

export type DiffRow = HeadRow | { readonly kind: "hunk"; readonly hunk: DiffHunk } | LineRow;

export interface HeadRow {
  readonly kind: "fact";
  /** A word chosen by the gate, or empty. */
  readonly label: string;
  readonly text: string;
}

export interface LineRow {
  readonly kind: "line";
  readonly line: DiffLine;
  /** The whole line, or one piece of a long line; the first piece is number 0. */
  readonly text: string;
  readonly piece: number;
  readonly isLastPiece: boolean;
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  /** The ranges that differ from the line that this one replaces or that replaces it. */
  readonly changed: readonly WordRange[];
}

export interface DiffRows {
  readonly count: number;
  /** The number of digits of the largest line number. */
  readonly digits: number;
  /** False if some content that would land is not among the rows. */
  readonly isWhole: boolean;
  at(row: number): DiffRow;
  /** The first row from `from` on that contains the text; null if there is none. Lower-case letters also match upper case. */
  find(text: string, from: number): number | null;
}

/** A longer line is split into pieces, and each piece is a row. */
const PIECE_CHARACTERS = 10_000;

/** One of the parts that a file is divided into; see file-parts.ts. */
export interface RowsPart {
  readonly at: number;
  readonly of: number;
}

export function diffRows(file: DiffFile, part: RowsPart | null = null): DiffRows {
  // SECURITY(T38): the reviewer cannot have seen content that would land and has no rows.
  return rowsOf(headRows(file, part), file.hunks, file.hunks.length > 0 || !landsContent(file));
}

/** The rows of a file that has only facts to show, and no lines. */
export function factRows(facts: readonly HeadRow[], isWhole: boolean): DiffRows {
  return rowsOf(facts, [], isWhole);
}

function rowsOf(head: readonly HeadRow[], hunks: readonly DiffHunk[], isWhole: boolean): DiffRows {
  const starts: number[] = [];
  const long = new Map<number, LongRows>();
  let count = head.length;
  for (const [at, hunk] of hunks.entries()) {
    starts.push(count);
    const pieces = longRows(hunk);
    if (pieces !== null) long.set(at, pieces);
    count += 1 + (pieces?.line.length ?? hunk.lines.length);
  }
  const indexes = new Map<number, HunkIndex>();
  const indexOf = (at: number): HunkIndex => {
    const known = indexes.get(at) ?? indexHunk(hunks[at] as DiffHunk);
    indexes.set(at, known);
    return known;
  };
  const last = hunks.at(-1);
  const most = last === undefined ? 1 : Math.max(last.oldStart + last.oldCount, last.newStart + last.newCount);
  /** The hunk, and the line and piece in it. Line -1 is the heading of the hunk. */
  const positionOf = (row: number): readonly [hunk: number, line: number, piece: number] => {
    const hunkAt = lastAtMost(starts, row);
    const at = row - (starts[hunkAt] as number) - 1;
    const pieces = at < 0 ? undefined : long.get(hunkAt);
    return pieces === undefined ? [hunkAt, at, 0] : [hunkAt, pieces.line[at] as number, pieces.piece[at] as number];
  };
  /** Includes `more` characters of the next piece of a long line, because a match can span two pieces. */
  const textAt = (row: number, more: number): string => {
    if (row < head.length) return (head[row] as HeadRow).text;
    const [hunkAt, lineAt, piece] = positionOf(row);
    const { lines, section } = hunks[hunkAt] as DiffHunk;
    const text = lines[lineAt]?.text;
    if (text === undefined) return section;
    return text.length <= PIECE_CHARACTERS
      ? text
      : text.slice(pieceStart(text, piece), pieceStart(text, piece + 1) + more);
  };
  return {
    count,
    digits: String(most).length,
    isWhole,
    at(row) {
      if (row < head.length) return head[row] as HeadRow;
      const [hunkAt, lineAt, piece] = positionOf(row);
      const hunk = hunks[hunkAt] as DiffHunk;
      return lineAt < 0 ? { kind: "hunk", hunk } : lineRow(hunk, lineAt, piece, indexOf(hunkAt));
    },
    find(text, from) {
      const isSmall = text === text.toLowerCase();
      for (let row = Math.max(0, from); row < count; row += 1) {
        const there = textAt(row, text.length - 1);
        if ((isSmall ? there.toLowerCase() : there).includes(text)) return row;
      }
      return null;
    },
  };
}

/** For each row of a hunk with long lines: the line, and the piece of that line. */
interface LongRows {
  readonly line: Int32Array;
  readonly piece: Int32Array;
}

/** Null if no line is long. */
function longRows({ lines }: DiffHunk): LongRows | null {
  const more = lines.reduce((sum, { text }) => sum + pieceCount(text) - 1, 0);
  if (more === 0) return null;
  const rows = { line: new Int32Array(lines.length + more), piece: new Int32Array(lines.length + more) };
  let row = 0;
  for (const [at, { text }] of lines.entries())
    for (let piece = 0; piece < pieceCount(text); piece += 1, row += 1) [rows.line[row], rows.piece[row]] = [at, piece];
  return rows;
}

function pieceCount(text: string): number {
  return text.length <= PIECE_CHARACTERS ? 1 : Math.ceil(text.length / PIECE_CHARACTERS);
}

/** Does not split a surrogate pair. */
function pieceStart(text: string, piece: number): number {
  const at = piece * PIECE_CHARACTERS;
  if (at >= text.length) return text.length;
  return at > 0 && (text.codePointAt(at - 1) as number) > 0xffff ? at - 1 : at;
}

function headRows(file: DiffFile, part: RowsPart | null): HeadRow[] {
  const fact = (label: string, text: string): HeadRow => ({ kind: "fact", label, text });
  const modes = [file.oldMode, file.newMode].filter((mode) => mode !== null).map(modeText);
  const isModeShown = file.oldMode !== file.newMode && modes.length === 2;
  return [
    fact(operationNames[file.operation], displayName(file.path)),
    ...(file.oldPath === file.path ? [] : [fact("from", displayName(file.oldPath))]),
    ...(file.commit === undefined ? [] : [fact("in", seriesText(file.commit))]),
    ...(file.since === undefined ? [] : [fact("since", sinceNames[file.since])]),
    ...(part === null ? [] : [fact("part", partText(part))]),
    ...(file.warned ?? []).map((text) => fact("WARNING", text)),
    ...(file.similarity === null ? [] : [fact("alike", `${file.similarity} %`)]),
    isModeShown ? fact("becomes", `${modes[1]}; was ${modes[0]}`) : fact("is", modes.at(-1) ?? "a file"),
    fact("size", sizeChange(file)),
    ...(file.hunks.length === 0 ? [] : [fact("lines", `+${groupDigits(file.added)} -${groupDigits(file.removed)}`)]),
    ...(file.hunks.length === 0 ? [] : encodingNotes(file)).map((text) => fact("text", text)),
    ...bodyNote(file, part).map((text) => fact("", text)),
  ];
}

const SUBJECT_CHARACTERS = 200;

function seriesText(commit: DiffCommit): string {
  const subject = displayText(commit.subject, { maxLength: SUBJECT_CHARACTERS });
  return `${commitText(commit)}, ${commit.id.slice(0, 12)}: ${subject}`;
}

function bodyNote({ isBinary, isTooLarge, hunks, oldId, newId }: DiffFile, part: RowsPart | null): string[] {
  if (hunks.length > 0) return [];
  if (part !== null) return ["Its bytes are not kept here any more: this part is not shown."];
  if (isBinary) return ["Not text: its bytes are not shown."];
  if (isTooLarge) return ["Too large: its lines are not shown."];
  return [oldId === newId ? "Its content stays the same." : "There is no line in it."];
}

function lineRow({ lines }: DiffHunk, at: number, piece: number, index: HunkIndex): LineRow {
  const line = lines[at] as DiffLine;
  const other = lines[index.partner[at] as number];
  const isLong = line.text.length > PIECE_CHARACTERS;
  return {
    kind: "line",
    line,
    text: isLong ? line.text.slice(pieceStart(line.text, piece), pieceStart(line.text, piece + 1)) : line.text,
    piece,
    isLastPiece: piece === pieceCount(line.text) - 1,
    oldNumber: line.sign === "+" ? null : (index.old[at] as number),
    newNumber: line.sign === "-" ? null : (index.new[at] as number),
    changed:
      other === undefined || isLong
        ? []
        : line.sign === "-"
          ? wordChanges(line.text, other.text).old
          : wordChanges(other.text, line.text).new,
  };
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
