// Replaces a text that must occur exactly once. If it does not, the failure shows the most similar lines, or where it occurs.

import { fail, ok, type Result } from "../shared/result.ts";

export interface Edited {
  readonly text: string;
  /** Where the replaced text began, counted from 1. */
  readonly line: number;
}

const LINES_NAMED = 10;
const EXCERPT_LINES = 5;
const EXCERPT_CHARACTERS = 400;
const COMPARED_LINES = 40;
const COMPARISONS = 2_000_000;
const COMPARED_CHARACTERS = 200;
const WORTH_SHOWING = 0.5;

export function editText(text: string, oldText: string, newText: string): Result<Edited> {
  if (oldText === "")
    return fail("invalid_args", "old_text: is empty, so that it is everywhere.", {
      hint: "Give the text that is to be replaced; write_file writes a whole file.",
    });
  if (oldText === newText) return fail("invalid_args", "new_text: is the same as old_text; nothing would change.");
  const first = text.indexOf(oldText);
  if (first < 0) return fileNotFound(text, oldText);
  // Searches from the next character, because overlapping occurrences count as two.
  if (text.indexOf(oldText, first + 1) >= 0) return severalTimes(text, oldText);
  return ok({
    text: text.slice(0, first) + newText + text.slice(first + oldText.length),
    line: lineOf(text, first),
  });
}

function severalTimes(text: string, oldText: string): Result<never> {
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + 1)) {
    count += 1;
    if (lines.length >= LINES_NAMED) continue;
    line += lineOf(text.slice(counted, at), at - counted) - 1;
    counted = at;
    if (lines.at(-1) !== line) lines.push(line);
  }
  const more = count > lines.length ? " …" : "";
  return fail("invalid_args", `old_text: is there ${count} times, in line ${lines.join(", ")}${more}.`, {
    hint: "Give more of the text around the place that you mean, so that it is there once.",
  });
}

function fileNotFound(text: string, oldText: string): Result<never> {
  const message = "old_text: is not in the file.";
  if (text.includes("\r\n") && text.replaceAll("\r\n", "\n").includes(oldText.replaceAll("\r\n", "\n")))
    return fail("invalid_args", message, {
      hint: "It would be, but for its line ends: the lines of this file end in CR LF (\\r\\n).",
    });
  const nearest = nearestPlace(text.split("\n"), oldText.split("\n"));
  if (nearest === undefined)
    return fail("invalid_args", message, { hint: "Nothing in it is near. Read the file again." });
  const { from, lines, isBlank } = nearest;
  const where = lines.length === 1 ? `line ${from}` : `lines ${from} to ${from + lines.length - 1}`;
  const excerpt = JSON.stringify(cut(lines.slice(0, EXCERPT_LINES).join("\n"), lines.length > EXCERPT_LINES));
  return fail("invalid_args", message, {
    hint: `${isBlank ? "But for its spaces it is" : "The nearest is"} in ${where}: ${excerpt}`,
  });
}

interface Place {
  /** Counted from 1. */
  readonly from: number;
  readonly lines: readonly string[];
  /** Whether only whitespace differs. */
  readonly isBlank: boolean;
}

/** The sequence of lines that is most similar to the wanted text, compared line by line. */
function nearestPlace(lines: readonly string[], wanted: readonly string[]): Place | undefined {
  const isText = (line: string) => line.trim() !== "";
  const begin = Math.max(0, wanted.findIndex(isText));
  const length = Math.max(1, wanted.findLastIndex(isText) + 1 - begin);
  const compared = wanted.slice(begin, begin + Math.min(length, COMPARED_LINES)).map(toCompare);
  const known = compared.map((line) => pairsOf(line));
  let best = { score: 0, at: -1 };
  let left = COMPARISONS;
  for (let at = 0; at < lines.length && left > 0; at += 1) {
    let score = 0;
    for (let index = 0; index < compared.length && at + index < lines.length; index += 1) {
      const line = toCompare(lines[at + index] as string);
      const isEqual = line === compared[index];
      left -= isEqual ? 1 : 1 + line.length;
      score += isEqual ? 1 : likeness(known[index] as ReadonlyMap<string, number>, line);
      // The remaining lines cannot raise the score enough.
      if (score + compared.length - index - 1 <= best.score) break;
    }
    if (score > best.score) best = { score, at };
    if (best.score === compared.length) break;
  }
  if (best.score < compared.length * WORTH_SHOWING) return undefined;
  return {
    from: best.at + 1,
    lines: lines.slice(best.at, best.at + length),
    isBlank: best.score === compared.length && length <= COMPARED_LINES,
  };
}

function toCompare(line: string): string {
  return line.slice(0, COMPARED_CHARACTERS).replace(/\s+/g, " ").trim();
}

/** Dice's coefficient over pairs of characters: 0 if nothing is in common, below 1 if the texts differ. */
function likeness(wanted: ReadonlyMap<string, number>, line: string): number {
  const found = pairsOf(line);
  let common = 0;
  let total = 0;
  for (const count of wanted.values()) total += count;
  for (const [pair, count] of found) {
    total += count;
    common += Math.min(count, wanted.get(pair) ?? 0);
  }
  return total === 0 ? 0 : Math.min(0.99, (2 * common) / total);
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function cut(excerpt: string, isCut: boolean): string {
  const short = excerpt.slice(0, EXCERPT_CHARACTERS).toWellFormed();
  return isCut || short.length < excerpt.length ? `${short}…` : short;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let feed = text.indexOf("\n"); feed >= 0 && feed < at; feed = text.indexOf("\n", feed + 1)) line += 1;
  return line;
}
