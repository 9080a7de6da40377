// Finds the lines of a text that changed. Only a line feed ends a line; a carriage return is part of its line.

import { diffSequences } from "./sequence-diff.ts";
import { settleChanges } from "./line-settle.ts";

export interface TextLines {
  /** Without their line feeds. */
  readonly lines: readonly string[];
  /** False if the last line has no line feed. */
  readonly isTerminated: boolean;
}

/** The old lines from `oldFrom` up to `oldTo` became the new lines from `newFrom` up to `newTo`. One of the two may be empty. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

export function splitLines(text: string): TextLines {
  if (text === "") return { lines: [], isTerminated: true };
  const lines = text.split("\n");
  const isTerminated = lines.at(-1) === "";
  if (isTerminated) lines.pop();
  return { lines, isTerminated };
}

/** In order, with at least one unchanged line between two of them. */
export function diffLines(old: TextLines, now: TextLines): LineChange[] {
  const left = comparable(old);
  const right = comparable(now);
  const shortest = Math.min(left.length, right.length);
  let head = 0;
  while (head < shortest && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;

  const [removedLines, addedLines] = [left.length - head - tail, right.length - head - tail];
  if (removedLines === 0 && addedLines === 0) return [];
  // If one side is empty, or each side is a single line, there is nothing to match.
  if (removedLines === 0 || addedLines === 0 || (removedLines === 1 && addedLines === 1)) {
    const only = { oldFrom: head, oldTo: head + removedLines, newFrom: head, newTo: head + addedLines };
    return settleChanges([only], left, right);
  }
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]): Int32Array => {
    const answer = new Int32Array(lines.length - head - tail);
    for (let index = 0; index < answer.length; index += 1) {
      const line = lines[head + index] as string;
      let number = numbers.get(line);
      if (number === undefined) numbers.set(line, (number = numbers.size));
      answer[index] = number;
    }
    return answer;
  };
  const { removed, added } = diffSequences(numbered(left), numbered(right), left.length + right.length);
  return settleChanges(changesOf(removed, added, head), left, right);
}

// No line contains a line feed. So an appended line feed makes an unterminated last line equal only to another such line.
function comparable({ lines, isTerminated }: TextLines): readonly string[] {
  return isTerminated ? lines : lines.with(-1, `${lines.at(-1) as string}\n`);
}

function changesOf(removed: Uint8Array, added: Uint8Array, head: number): LineChange[] {
  const changes: LineChange[] = [];
  let old = 0;
  let now = 0;
  while (old < removed.length || now < added.length) {
    if (removed[old] !== 1 && added[now] !== 1) {
      old += 1;
      now += 1;
      continue;
    }
    const [oldFrom, newFrom] = [old, now];
    while (removed[old] === 1) old += 1;
    while (added[now] === 1) now += 1;
    changes.push({ oldFrom: oldFrom + head, oldTo: old + head, newFrom: newFrom + head, newTo: now + head });
  }
  return changes;
}
