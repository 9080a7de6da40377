// What one shell knows while a script is walked: where it may stand, its functions, what feeds it.

import type { AndOr, CompoundList, PipelineNode } from "unbash";
import type { Directories, Standing } from "./command-reader.ts";
import type { CommandContext, CommandWord } from "./command-word.ts";

/** What runs by itself. */
export type Runnable = PipelineNode | AndOr | CompoundList;
/** More than one body: only the run will know which. `isCertain`: one of them is there for sure. */
interface ShellFunction {
  readonly bodies: readonly Runnable[];
  readonly isCertain: boolean;
}
export interface Later {
  readonly body: Runnable;
  readonly shell: Shell;
}
export type Input = Standing["input"];

/** What one shell knows while it runs. */
export interface Shell {
  cwds: Directories;
  functions: Map<string, ShellFunction>;
  /** Nothing decides whether this is reached. */
  isCertain: boolean;
  readonly input: Input;
  readonly depth: number;
  readonly isGuess: Standing["isGuess"];
}

const MOST_DIRECTORIES = 6;

export function newShell(cwds: Directories, input: Input, depth: number, isGuess: Standing["isGuess"]): Shell {
  return { cwds, functions: new Map(), isCertain: true, input, depth, isGuess };
}

/** null: nothing feeds it. */
export function inputOfCall({ stdin }: CommandContext): Input {
  return typeof stdin === "string" ? { text: stdin } : null;
}

/** Whether they are still there, only the run will know. */
export function unsetFunctions({ functions }: Shell, words: readonly CommandWord[]): void {
  for (const { text } of words)
    for (const [name, found] of functions)
      if (text === null || text === name) functions.set(name, { ...found, isCertain: false });
}

/** The likeliest stay in front. */
export function mergeDirectories(first: Directories, more: Directories): Directories {
  const all = [...new Set([...first, ...more])];
  return all.length <= MOST_DIRECTORIES ? all : [...all.slice(0, MOST_DIRECTORIES - 1), null];
}
