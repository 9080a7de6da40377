// Skips the `NAME=value` words before a command.

import type { CommandWord } from "../words/command-word.ts";

/** The command behind assignments. An unknown word begins the command. */
export function commandAfterAssignments(words: readonly CommandWord[]): readonly CommandWord[] {
  const start = words.findIndex(({ text }) => text === null || !/^[^=/]*=/.test(text));
  return start < 0 ? [] : words.slice(start);
}

/** The command behind assignments and long options. */
export function commandAfterLongOptions(words: readonly CommandWord[]): readonly CommandWord[] {
  const start = words.findIndex(({ text }) => text === null || !(text.startsWith("--") || text.includes("=")));
  return start < 0 ? [] : words.slice(start);
}
