// Finds the words of a line that changed, to highlight them. It finds none if highlighting would not help the reader.

import { diffSequences } from "./sequence-diff.ts";

/** From `from` up to but not including `to`, in UTF-16 units. */
export type WordRange = readonly [from: number, to: number];

export interface WordChanges {
  readonly old: readonly WordRange[];
  readonly new: readonly WordRange[];
}

const LINE_CHARACTERS = 2_000;
const SHARED_LEAST = 0.3;

const word = /[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu;
const none: WordChanges = { old: [], new: [] };

/** Both lists are empty if the lines are equal, too long, or have too little in common. */
export function wordChanges(oldLine: string, newLine: string): WordChanges {
  if (oldLine === newLine || Math.max(oldLine.length, newLine.length) > LINE_CHARACTERS) return none;
  const oldWords = oldLine.match(word) ?? [];
  const newWords = newLine.match(word) ?? [];
  const numbers = new Map<string, number>();
  const numbered = (words: readonly string[]): Int32Array =>
    Int32Array.from(words, (text) => {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    });
  const [left, right] = [numbered(oldWords), numbered(newWords)];
  const { removed, added } = diffSequences(left, right, numbers.size);
  const shared = oldWords.filter((text, index) => removed[index] === 0 && text.trim() !== "").join("").length;
  const most = Math.max(visibleLength(oldLine), visibleLength(newLine));
  if (shared < most * SHARED_LEAST) return none;
  return { old: rangesOf(oldWords, removed), new: rangesOf(newWords, added) };
}

function visibleLength(line: string): number {
  return line.replace(/\s+/g, "").length;
}

// Adjacent changed words and the blanks between them are one range.
function rangesOf(words: readonly string[], changed: Uint8Array): WordRange[] {
  const ranges: [number, number][] = [];
  let at = 0;
  let blankFrom = -1;
  words.forEach((text, index) => {
    const last = ranges.at(-1);
    const end = at + text.length;
    if (changed[index] === 1) {
      if (last !== undefined && (last[1] === at || last[1] === blankFrom)) last[1] = end;
      else ranges.push([at, end]);
    }
    blankFrom = changed[index] === 0 && text.trim() === "" ? at : -1;
    at = end;
  });
  return ranges;
}
