// What one shell knows while a script is walked: where it may be, its functions, what feeds it.

import type { AndOr, CompoundList, PipelineNode } from "unbash";
import type { CommandContext, Directories } from "../words/command-line.ts";
import type { CommandWord } from "../words/command-word.ts";
import type { Certainty, Input } from "./command-reader.ts";

/** A node that runs by itself. */
export type Runnable = PipelineNode | AndOr | CompoundList;

/** More than one body: only the run will know which. `isCertain`: one of them is defined for sure. */
interface ShellFunction {
  readonly bodies: readonly Runnable[];
  readonly isCertain: boolean;
}

/** A body that is read when the script ends, in the shell that defined it. */
export interface DeferredBody {
  readonly body: Runnable;
  readonly shell: Shell;
}

export interface Shell {
  cwds: Directories;
  functions: Map<string, ShellFunction>;
  /** The shell surely comes to this point: no branch or loop is around it. */
  isCertain: boolean;
  readonly input: Input;
  readonly depth: number;
  readonly certainty: Certainty;
}

const MOST_DIRECTORIES = 6;

export function newShell(cwds: Directories, input: Input, depth: number, certainty: Certainty): Shell {
  return { cwds, functions: new Map(), isCertain: true, input, depth, certainty };
}

export function inputOfCall({ stdin }: CommandContext): Input {
  return typeof stdin === "string" ? { text: stdin } : null;
}

/** After `unset`, only the run will know whether these functions are still there. */
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
