// `NAME=value` words before a command.

import type { CommandWord } from "../words/command-word.ts";

/** The command behind the assignments that a program takes before it. */
export function commandAfterAssignments(words: readonly CommandWord[]): readonly CommandWord[] {
  const start = words.findIndex(({ text }) => text === null || !/^[^=/]*=/.test(text));
  return start < 0 ? [] : words.slice(start);
}

/** The same, behind long options as well. */
export function withoutAssignments(words: readonly CommandWord[]): readonly CommandWord[] {
  const start = words.findIndex(({ text }) => text === null || !(text.startsWith("--") || text.includes("=")));
  return start < 0 ? [] : words.slice(start);
}
