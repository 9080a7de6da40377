// Expands braces as bash does: `{a,b}`, `{1..9}`, `{a..e..2}`, also nested. All else stays as it is.

import { type ShellCharacter, isUnquoted, type ShellWord } from "./shell-word.ts";

/** undefined: it would give more words than `most`. */
export function expandBraces(word: ShellWord, most: number): ShellWord[] | undefined {
  for (let open = 0; open < word.length; open++) {
    if (!isUnquoted(word[open], "{")) continue;
    const group = findGroup(word, open);
    if (group === null) continue;
    const rests = expandBraces(word.slice(group.close + 1), most);
    if (rests === undefined) return undefined;
    const before = word.slice(0, open);
    const words: ShellWord[] = [];
    for (const choice of group.choices) {
      const inner = expandBraces(choice, most);
      if (inner === undefined || words.length + inner.length * rests.length > most) return undefined;
      for (const middle of inner) for (const rest of rests) words.push([...before, ...middle, ...rest]);
    }
    return words;
  }
  return [word];
}

interface Group {
  readonly close: number;
  readonly choices: readonly ShellWord[];
}

function findGroup(word: ShellWord, open: number): Group | null {
  const commas: number[] = [];
  let depth = 0;
  for (let at = open; at < word.length; at++) {
    const character = word[at];
    if (isUnquoted(character, "{")) depth++;
    else if (isUnquoted(character, ",") && depth === 1) commas.push(at);
    else if (isUnquoted(character, "}") && --depth === 0) {
      const inside = word.slice(open + 1, at);
      if (commas.length > 0) return { close: at, choices: splitAt(word, open, commas, at) };
      const sequence = expandSequence(inside);
      return sequence === null ? null : { close: at, choices: sequence };
    }
  }
  return null;
}

function splitAt(word: ShellWord, open: number, commas: readonly number[], close: number): ShellWord[] {
  const starts = [open, ...commas];
  const ends = [...commas, close];
  return starts.map((start, index) => word.slice(start + 1, ends[index]));
}

const LONGEST_SEQUENCE = 10_000;

function expandSequence(inside: ShellWord): ShellWord[] | null {
  if (inside.some((character) => character.isQuoted)) return null;
  const text = inside.map((character) => character.char).join("");
  const numbers = /^([+-]?\d{1,15})\.\.([+-]?\d{1,15})(?:\.\.([+-]?\d{1,15}))?$/.exec(text);
  if (numbers !== null) return numberSequence(numbers[1] ?? "", numbers[2] ?? "", numbers[3]);
  const letters = /^(?:[a-z]\.\.[a-z]|[A-Z]\.\.[A-Z])(?:\.\.([+-]?\d{1,15}))?$/.exec(text);
  if (letters === null) return null;
  const points = steps(text.charCodeAt(0), text.charCodeAt(3), letters[1]);
  return points?.map((point) => bare(String.fromCharCode(point))) ?? null;
}

function numberSequence(from: string, to: string, step: string | undefined): ShellWord[] | null {
  const values = steps(Number(from), Number(to), step);
  // A leading zero on either side pads all numbers to the width of the longer side.
  const isPadded = /^[+-]?0\d/.test(from) || /^[+-]?0\d/.test(to);
  const width = isPadded ? Math.max(from.length, to.length) : 0;
  return (
    values?.map((value) =>
      bare(value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0")),
    ) ?? null
  );
}

function steps(from: number, to: number, step: string | undefined): number[] | null {
  const size = Math.max(1, Math.abs(Number(step ?? 1)));
  const count = Math.floor(Math.abs(to - from) / size) + 1;
  if (count > LONGEST_SEQUENCE) return null;
  return Array.from({ length: count }, (_, index) => from + Math.sign(to - from) * index * size);
}

function bare(text: string): ShellCharacter[] {
  return [...text].map((char) => ({ char, isQuoted: false }));
}
