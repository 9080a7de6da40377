// A word of a command line on its way to effects, and the places that words name. Text only, no disk.

import type { Word } from "../action/effect.ts";
import { isAbsolutePath } from "../shared/path.ts";

export interface CommandContext {
  readonly cwd: string;
  readonly home: string;
  /** The project, the workspace, the granted roots: to delete one of them itself is to destroy. */
  readonly roots: readonly string[];
  /** Places that are the box's own, and gone with it: to empty one is ordinary work. */
  readonly gatePaths?: readonly string[];
  /** The environment that it is started with. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What it gets as its standard input; absent or null: nothing. */
  readonly stdin?: string | null;
  /** The real path of a program by name or path; null: there is none. */
  readonly findProgram: (name: string) => string | null;
}

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

/** Absolute, without `.`, `..` and `//`, by text alone; `cwd` is so already. null: relative to nobody knows what. */
export function resolvePathText(path: string, cwd: string | null): string | null {
  if (!isAbsolutePath(path) && cwd === null) return null;
  let found = isAbsolutePath(path) || cwd === null || cwd === "/" ? "" : cwd;
  for (const part of path.split("/")) {
    if (part === "..") found = found.slice(0, Math.max(0, found.lastIndexOf("/")));
    else if (part !== "" && part !== ".") found += `/${part}`;
  }
  return found === "" ? "/" : found;
}
