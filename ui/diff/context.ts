// The unchanged lines that a diff leaves out: where they are, and a file's hunks once some of them are shown.

import type { DiffHunk, DiffLine } from "../../src/action/diff-file.ts";

/** At once; and the most that "all" stands for, which is what the server gives at once. */
export const CONTEXT_STEP = 20;
export const CONTEXT_MOST = 5_000;

/** Lines that are left out above a hunk; above the one after the last: at the end. By their new numbers, without `to`. */
export interface Gap {
  readonly hunk: number;
  readonly from: number;
  readonly to: number;
}

/** On from the change above, towards it from the change below, or both. */
export type Way = "down" | "up" | "all";

export interface WithHunks {
  readonly hunks: readonly DiffHunk[];
  /** Null: what is left out cannot be had. */
  readonly newLines: number | null;
}

/** Null: nothing is left out there. */
export function gapAt({ hunks, newLines }: WithHunks, hunk: number): Gap | null {
  if (newLines === null || newLines === 0 || hunks.length === 0) return null;
  const [above, below] = [hunks[hunk - 1], hunks[hunk]];
  const from = above === undefined ? 1 : above.newStart + above.newCount;
  const to = below === undefined ? newLines + 1 : below.newStart;
  return to > from ? { hunk, from, to } : null;
}

/** Which ways there are to show more of it. */
export function waysOf({ hunk, from, to }: Gap, hunks: number): readonly Way[] {
  if (to - from <= CONTEXT_STEP) return ["all"];
  return [
    ...(hunk > 0 ? ["down" as const] : []),
    ...(hunk < hunks ? ["up" as const] : []),
    ...(to - from <= CONTEXT_MOST ? ["all" as const] : []),
  ];
}

export function partOf(gap: Gap, way: Way): Gap {
  if (way === "all") return gap;
  return way === "down"
    ? { ...gap, to: Math.min(gap.to, gap.from + CONTEXT_STEP) }
    : { ...gap, from: Math.max(gap.from, gap.to - CONTEXT_STEP) };
}

/** `part` is at an end of what is left out there, or all of it; `lines` are its lines. */
export function withContext(file: WithHunks, part: Gap, lines: readonly DiffLine[]): readonly DiffHunk[] {
  const { hunks } = file;
  const [above, below] = [hunks[part.hunk - 1], hunks[part.hunk]];
  const gap = gapAt(file, part.hunk);
  const isAtAbove = above !== undefined && gap?.from === part.from;
  const isAtBelow = below !== undefined && gap?.to === part.to;
  if (isAtAbove && isAtBelow) return hunks.toSpliced(part.hunk - 1, 2, joined(grown(above, lines), below));
  if (isAtAbove) return hunks.with(part.hunk - 1, grown(above, lines));
  return isAtBelow ? hunks.with(part.hunk, begunEarlier(below, lines)) : hunks;
}

function grown(hunk: DiffHunk, lines: readonly DiffLine[]): DiffHunk {
  return {
    ...hunk,
    oldCount: hunk.oldCount + lines.length,
    newCount: hunk.newCount + lines.length,
    lines: [...hunk.lines, ...lines],
  };
}

function begunEarlier(hunk: DiffHunk, lines: readonly DiffLine[]): DiffHunk {
  // What tells where the hunk is does not stand above it any more if it is shown in it.
  const isIn = hunk.section !== "" && lines.some(({ text }) => text.startsWith(hunk.section));
  return {
    ...hunk,
    oldStart: hunk.oldStart - lines.length,
    oldCount: hunk.oldCount + lines.length,
    newStart: hunk.newStart - lines.length,
    newCount: hunk.newCount + lines.length,
    section: isIn ? "" : hunk.section,
    lines: [...lines, ...hunk.lines],
  };
}

function joined(one: DiffHunk, other: DiffHunk): DiffHunk {
  return {
    ...one,
    oldCount: one.oldCount + other.oldCount,
    newCount: one.newCount + other.newCount,
    lines: [...one.lines, ...other.lines],
  };
}

/** Lines were put in before line `at` of a file. */
export interface Insertion {
  readonly file: number;
  readonly at: number;
  readonly count: number;
}

/** Which line of its file it is now. */
export function movedLine(line: number, { at, count }: Insertion): number {
  return line < at ? line : line + count;
}
