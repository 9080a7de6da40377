// Patterns for the words of a command line: one pattern per word, and `**` for any number of words.
// Inside a word `*` matches any characters and `\` escapes the next one. Nothing else is special.

import type { Word } from "../action/effect.ts";
import { fail, ok, type Result } from "../shared/result.ts";

/** The pieces between the stars; a single piece has no star. null for `**`. */
export type WordPattern = readonly string[] | null;

export function parseWordPattern(text: string): Result<WordPattern> {
  if (text === "**") return ok(null);
  const pieces: string[] = [];
  let piece = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === "*") {
      pieces.push(piece);
      piece = "";
    } else if (character !== "\\") piece += character;
    else if (at + 1 === text.length)
      return fail("invalid_args", `${JSON.stringify(text)} ends with a lone \\`, { hint: "Write \\\\ for one." });
    else piece += text[(at += 1)] as string;
  }
  return ok([...pieces, piece]);
}

/** The pattern that matches exactly this word. */
export function escapeWord(word: string): string {
  return word.replace(/[*\\]/g, "\\$&");
}

export function isLiteral(pattern: WordPattern): pattern is readonly [string] {
  return pattern?.length === 1;
}

export function matchesWord(pattern: WordPattern, word: string): boolean {
  if (pattern === null) return true;
  if (pattern.length === 1) return word === pattern[0];
  const [first = "", ...rest] = pattern;
  const last = rest.pop() ?? "";
  if (word.length < first.length + last.length || !word.startsWith(first) || !word.endsWith(last)) return false;
  // Matching each piece as early as possible leaves the most text for the others.
  let at = first.length;
  const end = word.length - last.length;
  for (const piece of rest) {
    const found = word.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/**
 * Whether the patterns match all the words. An unknown word may become any words: `surely` is true only if
 * the patterns match whatever it becomes, `possibly` also if they might.
 */
export function matchesWords(
  patterns: readonly WordPattern[],
  words: readonly Word[],
  certainty: "surely" | "possibly",
): boolean {
  let start = 0;
  // Up to the first `**` or unknown word, patterns and words pair up one to one. Most rules are decided here.
  for (; start < patterns.length && start < words.length; start += 1) {
    const [pattern, word] = [patterns[start] ?? null, words[start] ?? null];
    if (pattern === null || word === null) break;
    if (!matchesWord(pattern, word)) return false;
  }
  let states = reach(patterns, new Set([start]));
  for (const word of words.slice(start)) {
    // After a final `**` everything matches, known or not.
    if (patterns.at(-1) === null && states.has(patterns.length)) return true;
    const next = new Set<number>();
    for (const state of states) {
      const pattern = patterns[state];
      if (pattern === undefined) {
        if (word === null && certainty === "possibly") next.add(state);
      } else if (pattern === null) next.add(state);
      else if (word !== null && matchesWord(pattern, word)) next.add(state + 1);
      else if (word === null && certainty === "possibly")
        for (let later = state; later <= patterns.length; later += 1) next.add(later);
    }
    if (next.size === 0) return false;
    states = reach(patterns, next);
  }
  return states.has(patterns.length);
}

/** `**` also matches zero words. */
function reach(patterns: readonly WordPattern[], states: Set<number>): Set<number> {
  for (const state of states) if (patterns[state] === null) states.add(state + 1);
  return states;
}
