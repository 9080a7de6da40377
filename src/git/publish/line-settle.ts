// If lines repeat, an insertion or a deletion can be shown at several positions with the same effect. This module moves each to
// the position that reads best: whole blocks, from the line that begins a block to the blank line that ends it.

import type { LineChange } from "./line-diff.ts";

const POSITIONS_WEIGHED = 100;
const BLANKS_SKIPPED = 20;
const TAB_WIDTH = 8;

export function settleChanges(
  changes: readonly LineChange[],
  old: readonly string[],
  now: readonly string[],
): LineChange[] {
  const settled: LineChange[] = [];
  changes.forEach((change, index) => {
    const before = settled.at(-1) ?? { oldTo: 0, newTo: 0 };
    const after = changes[index + 1] ?? { oldFrom: old.length, newFrom: now.length };
    const up = change.oldFrom - before.oldTo;
    const down = after.oldFrom - change.oldTo;
    let by = 0;
    if (change.oldFrom === change.oldTo) by = bestShift(now, change.newFrom, change.newTo, up, down);
    else if (change.newFrom === change.newTo) by = bestShift(old, change.oldFrom, change.oldTo, up, down);
    settled.push({
      oldFrom: change.oldFrom + by,
      oldTo: change.oldTo + by,
      newFrom: change.newFrom + by,
      newTo: change.newTo + by,
    });
  });
  return joinTouching(settled);
}

// A change that was moved may now touch its neighbour.
function joinTouching(changes: readonly LineChange[]): LineChange[] {
  const joined: LineChange[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    if (last !== undefined && last.oldTo === change.oldFrom && last.newTo === change.newFrom)
      joined[joined.length - 1] = { ...change, oldFrom: last.oldFrom, newFrom: last.newFrom };
    else joined.push(change);
  }
  return joined;
}

/** How far to move the lines from `from` up to `to`: at most `up` lines towards the start, or `down` lines towards the end. */
function bestShift(lines: readonly string[], from: number, to: number, up: number, down: number): number {
  let lowest = 0;
  while (lowest < down && lines[from + lowest] === lines[to + lowest]) lowest += 1;
  let highest = 0;
  while (highest < up && lines[from - highest - 1] === lines[to - highest - 1]) highest += 1;
  if (lowest === 0 && highest === 0) return 0;
  let best = lowest;
  let least = Number.POSITIVE_INFINITY;
  for (let by = lowest; by >= Math.max(-highest, lowest - POSITIONS_WEIGHED); by -= 1) {
    const cost = boundaryCost(lines, from + by) + boundaryCost(lines, to + by);
    if (cost < least) [best, least] = [by, cost];
  }
  return best;
}

// A boundary before a line is good if the line has little indentation and follows a blank line.
function boundaryCost(lines: readonly string[], at: number): number {
  if (at >= lines.length) return 0;
  let next = at;
  while (next < lines.length && next - at < BLANKS_SKIPPED && isBlank(lines[next] as string)) next += 1;
  const blankAfter = next > at ? 1 : 0;
  const blankBefore = at > 0 && isBlank(lines[at - 1] as string) ? 1 : 0;
  return 2 * indentOf(lines[next] ?? "") + 2 * blankAfter - blankBefore;
}

function isBlank(line: string): boolean {
  return /^\s*$/.test(line);
}

function indentOf(line: string): number {
  let width = 0;
  for (let index = 0; index < line.length && index < 200; index += 1) {
    const character = line[index];
    if (character === " ") width += 1;
    else if (character === "\t") width += TAB_WIDTH - (width % TAB_WIDTH);
    else break;
  }
  return width;
}
