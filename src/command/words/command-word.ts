// A word of a command, as far as it is known before the command runs. Text only, no disk.

import type { Word } from "../../action/effect.ts";
import { isAbsolutePath } from "../../shared/path.ts";

export interface CommandWord {
  /** null: only the run will know it, and it may be several words, or none. */
  readonly text: Word;
  /** What it most likely is: the text; a glob as it is written; `$HOME` as the home. null: nothing is known. */
  readonly shape: string | null;
}

export const unknownWord: CommandWord = { text: null, shape: null };

export function knownWord(text: string): CommandWord {
  return { text, shape: text };
}

export function commandWord(word: Word): CommandWord {
  return word === null ? unknownWord : knownWord(word);
}

export function textsOf(words: readonly CommandWord[]): Word[] {
  return words.map(({ text }) => text);
}

/** Whether one of these words is among the arguments. */
export function hasWord(args: readonly CommandWord[], ...wanted: string[]): boolean {
  return args.some(({ text }) => text !== null && wanted.includes(text));
}

/** Absolute, without `.`, `..` and `//`, by text alone; `cwd` is so already. null: relative to an unknown directory. */
export function resolvePathText(path: string, cwd: string | null): string | null {
  if (!isAbsolutePath(path) && cwd === null) return null;
  let found = isAbsolutePath(path) || cwd === null || cwd === "/" ? "" : cwd;
  for (const part of path.split("/")) {
    if (part === "..") found = found.slice(0, Math.max(0, found.lastIndexOf("/")));
    else if (part !== "" && part !== ".") found += `/${part}`;
  }
  return found === "" ? "/" : found;
}
