// Merges two changed versions of a text, line by line, as `git merge-file` does: what only one side changed is taken, what both changed
// in the same way is taken once, and the rest is marked as a conflict.

import { diffLines, type LineChange, splitLines, type TextLines } from "./line-diff.ts";

export interface MergeLabels {
  readonly ours: string;
  readonly theirs: string;
}

export interface MergedText {
  readonly text: string;
  /** Where the conflicts are: numbers of lines in the text that both sides began with. Empty if there is none. */
  readonly conflicts: readonly number[];
  /** The same, with the lines of both sides. */
  readonly sides: readonly ConflictSides[];
}

export interface ConflictSides {
  readonly line: number;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

/** `common`: neither side changed it, or both sides have it inside a conflict. `taken`: one side changed it, or both in the same way. */
type Segment = { readonly kind: "common" | "taken"; readonly lines: readonly string[] } | Conflict;

interface Conflict extends ConflictSides {
  readonly kind: "conflict";
}

/** Conflicts with no more lines between them are one, as in git. */
const NEAR_LINES = 3;

/** One character for each byte, so that nothing is lost. */
export function mergeLines(base: string, ours: string, theirs: string, labels: MergeLabels): MergedText {
  const [from, left, right] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const segments = joinNear(mergeSegments(from, left, right));
  const sides = segments.filter((segment) => segment.kind === "conflict");
  const end = left.lines[0]?.endsWith("\r") === true ? "\r\n" : "\n";
  return {
    text: segments.map((segment) => segmentText(segment, labels, end)).join(""),
    conflicts: sides.map(({ line }) => line),
    sides: sides.map(({ line, ours, theirs }) => ({ line, ours, theirs })),
  };
}

function mergeSegments(base: TextLines, ours: TextLines, theirs: TextLines): Segment[] {
  const [from, left, right] = [withEnds(base), withEnds(ours), withEnds(theirs)];
  const sides = [diffLines(base, ours), diffLines(base, theirs)] as const;
  const next: [number, number] = [0, 0];
  const shift: [number, number] = [0, 0];
  const segments: Segment[] = [];
  let at = 0;
  for (;;) {
    const starts = sides.map((changes, side) => changes[next[side as 0 | 1]]?.oldFrom ?? Infinity);
    const low = Math.min(...starts);
    if (low === Infinity) break;
    if (low > at) segments.push({ kind: "common", lines: from.slice(at, low) });
    const begun = [low + shift[0], low + shift[1]] as const;
    const taken = [0, 0];
    let high = low;
    // Changes of the two sides that touch each other belong together.
    for (let isGrowing = true; isGrowing;) {
      isGrowing = false;
      for (const side of [0, 1] as const) {
        const change = sides[side][next[side]];
        if (change === undefined || change.oldFrom > high) continue;
        high = Math.max(high, change.oldTo);
        shift[side] += growth(change);
        next[side] += 1;
        taken[side] = (taken[side] ?? 0) + 1;
        isGrowing = true;
      }
    }
    const mine = left.slice(begun[0], high + shift[0]);
    const other = right.slice(begun[1], high + shift[1]);
    if (taken[1] === 0) segments.push({ kind: "taken", lines: mine });
    else if (taken[0] === 0 || isSame(mine, other)) segments.push({ kind: "taken", lines: other });
    else segments.push(...refine(mine, other, low + 1));
    at = high;
  }
  if (at < from.length) segments.push({ kind: "common", lines: from.slice(at) });
  return segments;
}

function growth({ oldFrom, oldTo, newFrom, newTo }: LineChange): number {
  return newTo - newFrom - (oldTo - oldFrom);
}

/** Lines that both sides have in a conflict stand outside of it. */
function refine(ours: readonly string[], theirs: readonly string[], line: number): Segment[] {
  if (ours.length === 0 || theirs.length === 0) return [{ kind: "conflict", line, ours, theirs }];
  const segments: Segment[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of diffLines(splitLines(ours.join("")), splitLines(theirs.join("")))) {
    if (oldFrom > at) segments.push({ kind: "common", lines: ours.slice(at, oldFrom) });
    segments.push({ kind: "conflict", line, ours: ours.slice(oldFrom, oldTo), theirs: theirs.slice(newFrom, newTo) });
    at = oldTo;
  }
  if (at < ours.length) segments.push({ kind: "common", lines: ours.slice(at) });
  return segments;
}

/** A person reads one conflict more easily than two that are a few lines apart. */
function joinNear(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const between = joined.at(-1);
    const before = joined.at(-2);
    if (segment.kind === "conflict" && between?.kind === "conflict") joined.splice(-1, 1, both(between, [], segment));
    else if (
      segment.kind === "conflict" &&
      between?.kind === "common" &&
      before?.kind === "conflict" &&
      isNear(between.lines)
    )
      joined.splice(-2, 2, both(before, between.lines, segment));
    else joined.push(segment);
  }
  return joined;
}

function both(first: Conflict, between: readonly string[], second: Conflict): Conflict {
  return {
    kind: "conflict",
    line: first.line,
    ours: [...first.ours, ...between, ...second.ours],
    theirs: [...first.theirs, ...between, ...second.theirs],
  };
}

function isNear(lines: readonly string[]): boolean {
  return lines.length <= NEAR_LINES || !lines.some((line) => /[A-Za-z0-9]/.test(line));
}

function segmentText(segment: Segment, { ours, theirs }: MergeLabels, end: string): string {
  if (segment.kind !== "conflict") return segment.lines.join("");
  return [
    `<<<<<<< ${ours}${end}`,
    terminated(segment.ours, end),
    `=======${end}`,
    terminated(segment.theirs, end),
    `>>>>>>> ${theirs}${end}`,
  ].join("");
}

/** A marker stands on a line of its own. */
function terminated(lines: readonly string[], end: string): string {
  const text = lines.join("");
  return text === "" || text.endsWith("\n") ? text : `${text}${end}`;
}

function withEnds({ lines, isTerminated }: TextLines): string[] {
  return lines.map((line, index) => (index < lines.length - 1 || isTerminated ? `${line}\n` : line));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
