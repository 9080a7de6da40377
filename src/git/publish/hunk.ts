// Groups the changed lines of one file into hunks with context lines, in the form that `git apply` accepts.

import type { DiffHunk, DiffLine } from "../../action/diff-file.ts";
import type { LineChange, TextLines } from "./line-diff.ts";

const SECTION_LENGTH = 80;

export function makeHunks(
  old: TextLines,
  now: TextLines,
  changes: readonly LineChange[],
  contextLines: number,
): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let section = "";
  let sectionSeen = 0;
  for (let first = 0; first < changes.length;) {
    let last = first;
    while (gapAfter(changes, last) <= 2 * contextLines) last += 1;
    const group = changes.slice(first, last + 1);
    const oldFrom = Math.max(0, (changes[first] as LineChange).oldFrom - contextLines);
    const oldTo = Math.min(old.lines.length, (changes[last] as LineChange).oldTo + contextLines);
    for (let index = oldFrom - 1; index >= sectionSeen; index -= 1) {
      const line = old.lines[index] as string;
      if (!/^[A-Za-z_$]/.test(line)) continue;
      section = line.slice(0, SECTION_LENGTH).toWellFormed().trimEnd();
      break;
    }
    sectionSeen = Math.max(sectionSeen, oldFrom);
    hunks.push(makeHunk(old, now, group, oldFrom, oldTo, section));
    first = last + 1;
  }
  return hunks;
}

function gapAfter(changes: readonly LineChange[], index: number): number {
  const next = changes[index + 1];
  return next === undefined ? Number.POSITIVE_INFINITY : next.oldFrom - (changes[index] as LineChange).oldTo;
}

function makeHunk(
  old: TextLines,
  now: TextLines,
  changes: readonly LineChange[],
  oldFrom: number,
  oldTo: number,
  section: string,
): DiffHunk {
  const lines: DiffLine[] = [];
  const take = (sign: DiffLine["sign"], from: TextLines, start: number, end: number): void => {
    const unterminated = from.isTerminated ? -1 : from.lines.length - 1;
    for (let at = start; at < end; at += 1)
      lines.push({ sign, text: from.lines[at] as string, isUnterminated: at === unterminated });
  };
  let at = oldFrom;
  let grown = 0;
  for (const change of changes) {
    take(" ", old, at, change.oldFrom);
    take("-", old, change.oldFrom, change.oldTo);
    take("+", now, change.newFrom, change.newTo);
    grown += change.newTo - change.newFrom - (change.oldTo - change.oldFrom);
    at = change.oldTo;
  }
  take(" ", old, at, oldTo);
  const first = changes[0] as LineChange;
  const newFrom = first.newFrom - (first.oldFrom - oldFrom);
  const oldCount = oldTo - oldFrom;
  const newCount = oldCount + grown;
  return {
    oldStart: oldCount === 0 ? oldFrom : oldFrom + 1,
    oldCount,
    newStart: newCount === 0 ? newFrom : newFrom + 1,
    newCount,
    section,
    lines,
  };
}
