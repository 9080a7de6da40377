// The unchanged lines that a diff leaves out: their positions, and a file's hunks once some of them are shown.

import type { DiffHunk, DiffLine } from "../../src/action/diff-file.ts";

/** The lines for one step, and the most for "all", which is the most that the server returns at once. */
export const CONTEXT_STEP = 20;
export const CONTEXT_MOST = 5_000;

/**
 * Lines that are left out above a hunk; with the number after the last hunk, at the end of the file. New line numbers; `to` is
 * exclusive.
 */
export interface Gap {
  readonly hunk: number;
  readonly from: number;
  readonly to: number;
}

/** Continue from the change above, continue from the change below, or show everything. */
export type Way = "down" | "up" | "all";

export interface WithHunks {
  readonly hunks: readonly DiffHunk[];
  /** Null if the lines that are left out cannot be loaded. */
  readonly newLines: number | null;
}

/** Null if nothing is left out there. */
export function gapAt({ hunks, newLines }: WithHunks, hunk: number): Gap | null {
  if (newLines === null || newLines === 0 || hunks.length === 0) return null;
  const [above, below] = [hunks[hunk - 1], hunks[hunk]];
  const from = above === undefined ? 1 : above.newStart + above.newCount;
  const to = below === undefined ? newLines + 1 : below.newStart;
  return to > from ? { hunk, from, to } : null;
}

/** The ways in which more of the gap can be shown. */
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

/** `part` is one end of the gap or the whole gap, and `lines` are its lines. */
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
  // The section line of the hunk is not repeated above it once the hunk shows it.
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

/** `count` lines were inserted before line `at` of a file. */
export interface Insertion {
  readonly file: number;
  readonly at: number;
  readonly count: number;
}

/** The new index of the line after the insertion. */
export function movedLine(line: number, { at, count }: Insertion): number {
  return line < at ? line : line + count;
}
