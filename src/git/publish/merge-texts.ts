// Merges two changes of one text, line by line, as `git merge-file` does: a change of one side is taken if no line of it touches a
// change of the other side. If both sides changed the same lines in the same way, that change is taken once.

import { diffLines, type LineChange, splitLines } from "./line-diff.ts";
import { encodeText, looksBinary } from "./text-content.ts";
import { byteText } from "./tree-entry.ts";

export type MergedText =
  | { readonly isClean: true; readonly content: Uint8Array }
  | { readonly isClean: false; readonly conflicts: readonly TextConflict[] };

/** Lines that both sides changed in different ways. Bytes as characters, each with its line feed. */
export interface TextConflict {
  /** The number of the first line, in the text that both sides began with. */
  readonly line: number;
  readonly ours: string;
  readonly theirs: string;
}

interface Side {
  /** Each with its line feed. */
  readonly lines: readonly string[];
  readonly changes: readonly LineChange[];
}

/** Null if one of them is no text: then only a person can say what both changes together are. */
export function mergeTexts(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): MergedText | null {
  if ([base, ours, theirs].some(looksBinary)) return null;
  // One character for each byte, so that every encoding comes out as it went in.
  const [baseText, ...texts] = [base, ours, theirs].map(byteText) as [string, string, string];
  const before = splitLines(baseText);
  const [left, right] = texts.map((text): Side => ({
    lines: withLineFeeds(text),
    changes: diffLines(before, splitLines(text)),
  })) as [Side, Side];
  const baseLines = withLineFeeds(baseText);
  const merged: string[] = [];
  const conflicts: TextConflict[] = [];
  let at = 0;
  for (const [mine, other] of touching(left.changes, right.changes)) {
    const from = Math.min(mine[0]?.oldFrom ?? Infinity, other[0]?.oldFrom ?? Infinity);
    const to = Math.max(mine.at(-1)?.oldTo ?? 0, other.at(-1)?.oldTo ?? 0);
    merged.push(...baseLines.slice(at, from));
    const [ourLines, theirLines] = [
      replaced(left, mine, baseLines, from, to),
      replaced(right, other, baseLines, from, to),
    ];
    if (other.length === 0 || ourLines === theirLines) merged.push(ourLines);
    else if (mine.length === 0) merged.push(theirLines);
    else conflicts.push({ line: from + 1, ours: ourLines, theirs: theirLines });
    at = to;
  }
  if (conflicts.length > 0) return { isClean: false, conflicts };
  merged.push(...baseLines.slice(at));
  return { isClean: true, content: encodeText(merged.join(""), "latin1") };
}

function withLineFeeds(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Groups of changes that touch each other, in order. A group has changes of one side, or of both. */
function* touching(
  ours: readonly LineChange[],
  theirs: readonly LineChange[],
): Generator<readonly [readonly LineChange[], readonly LineChange[]]> {
  let [left, right] = [0, 0];
  while (left < ours.length || right < theirs.length) {
    const [firstLeft, firstRight] = [left, right];
    let end = Math.min(ours[left]?.oldFrom ?? Infinity, theirs[right]?.oldFrom ?? Infinity);
    for (;;) {
      const isOurs = (ours[left]?.oldFrom ?? Infinity) <= end;
      const change = isOurs ? ours[left] : theirs[right];
      if (change === undefined || change.oldFrom > end) break;
      end = Math.max(end, change.oldTo);
      if (isOurs) left += 1;
      else right += 1;
    }
    yield [ours.slice(firstLeft, left), theirs.slice(firstRight, right)];
  }
}

/** What a side has in the place of the base's lines from `from` up to `to`. */
function replaced(
  side: Side,
  changes: readonly LineChange[],
  base: readonly string[],
  from: number,
  to: number,
): string {
  const lines: string[] = [];
  let at = from;
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    lines.push(...base.slice(at, oldFrom), ...side.lines.slice(newFrom, newTo));
    at = oldTo;
  }
  return [...lines, ...base.slice(at, to)].join("");
}
