// The rows of a file's diff, one by one: what stands in a row is found when the row is asked for, so that a diff of any
// length opens at once.

import { groupDigits, modeText, operationNames, sizeChange } from "../action/diff-facts.ts";
import type { DiffFile, DiffHunk, DiffLine } from "../action/diff-file.ts";
import { type HunkIndex, indexHunk } from "../git/publish/hunk-index.ts";
import { wordChanges, type WordRange } from "../git/publish/word-diff.ts";

export type DiffRow = HeadRow | { readonly kind: "hunk"; readonly hunk: DiffHunk } | LineRow;

export interface HeadRow {
  readonly kind: "fact";
  /** A word of ours, or empty. */
  readonly label: string;
  readonly text: string;
}

export interface LineRow {
  readonly kind: "line";
  readonly line: DiffLine;
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  /** What is other in the line that it stands for, or that stands for it. */
  readonly changed: readonly WordRange[];
}

export interface DiffRows {
  readonly count: number;
  /** How wide the largest line number is. */
  readonly digits: number;
  at(row: number): DiffRow;
  /** The first row from `from` on with this text in it; small letters stand for both. Null: none. */
  find(text: string, from: number): number | null;
}

export function diffRows(file: DiffFile): DiffRows {
  return rowsOf(headRows(file), file.hunks);
}

/** Rows of a file of which there is nothing else to show. */
export function factRows(facts: readonly HeadRow[]): DiffRows {
  return rowsOf(facts, []);
}

function rowsOf(head: readonly HeadRow[], hunks: readonly DiffHunk[]): DiffRows {
  const starts: number[] = [];
  let count = head.length;
  for (const { lines } of hunks) {
    starts.push(count);
    count += 1 + lines.length;
  }
  const indexes = new Map<number, HunkIndex>();
  const indexOf = (at: number): HunkIndex => {
    const known = indexes.get(at) ?? indexHunk(hunks[at] as DiffHunk);
    indexes.set(at, known);
    return known;
  };
  const last = hunks.at(-1);
  const most = last === undefined ? 1 : Math.max(last.oldStart + last.oldCount, last.newStart + last.newCount);
  /** Which hunk, and which line of it; -1: its head. */
  const place = (row: number): readonly [hunk: number, line: number] => {
    const hunkAt = lastAtMost(starts, row);
    return [hunkAt, row - (starts[hunkAt] as number) - 1];
  };
  const textAt = (row: number): string => {
    if (row < head.length) return (head[row] as HeadRow).text;
    const [hunkAt, lineAt] = place(row);
    const { lines, section } = hunks[hunkAt] as DiffHunk;
    return lines[lineAt]?.text ?? section;
  };
  return {
    count,
    digits: String(most).length,
    at(row) {
      if (row < head.length) return head[row] as HeadRow;
      const [hunkAt, lineAt] = place(row);
      const hunk = hunks[hunkAt] as DiffHunk;
      return lineAt < 0 ? { kind: "hunk", hunk } : lineRow(hunk, lineAt, indexOf(hunkAt));
    },
    find(text, from) {
      const isSmall = text === text.toLowerCase();
      for (let row = Math.max(0, from); row < count; row += 1) {
        const there = textAt(row);
        if ((isSmall ? there.toLowerCase() : there).includes(text)) return row;
      }
      return null;
    },
  };
}

function headRows(file: DiffFile): HeadRow[] {
  const fact = (label: string, text: string): HeadRow => ({ kind: "fact", label, text });
  const modes = [file.oldMode, file.newMode].filter((mode) => mode !== null).map(modeText);
  const isModeShown = file.oldMode !== file.newMode && modes.length === 2;
  return [
    fact(operationNames[file.operation], file.path),
    ...(file.oldPath === file.path ? [] : [fact("from", file.oldPath)]),
    ...(file.similarity === null ? [] : [fact("alike", `${file.similarity} %`)]),
    isModeShown ? fact("becomes", `${modes[1]}; was ${modes[0]}`) : fact("is", modes.at(-1) ?? "a file"),
    fact("size", sizeChange(file)),
    ...(file.isBinary || file.isTooLarge
      ? []
      : [fact("lines", `+${groupDigits(file.added)} -${groupDigits(file.removed)}`)]),
    ...(file.encoding === "latin1" ? [fact("text", "not UTF-8: shown byte by byte, as Latin-1")] : []),
    ...bodyNote(file).map((text) => fact("", text)),
  ];
}

function bodyNote({ isBinary, isTooLarge, hunks, oldId, newId }: DiffFile): string[] {
  if (isBinary) return ["Not text: its bytes are not shown."];
  if (isTooLarge) return ["Too large: its lines are not shown."];
  if (hunks.length > 0) return [];
  return [oldId === newId ? "Its content stays the same." : "There is no line in it."];
}

function lineRow({ lines }: DiffHunk, at: number, index: HunkIndex): LineRow {
  const line = lines[at] as DiffLine;
  const other = lines[index.partner[at] as number];
  return {
    kind: "line",
    line,
    oldNumber: line.sign === "+" ? null : (index.old[at] as number),
    newNumber: line.sign === "-" ? null : (index.new[at] as number),
    changed:
      other === undefined
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
