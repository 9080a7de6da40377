// One command of a script or of a call, as the rules of the program table see it.

import type { CommandWord } from "./command-word.ts";

/** What is known about the call around a command. */
export interface CommandContext {
  readonly cwd: string;
  readonly home: string;
  /** The project, the workspace and the granted directories. To delete one of them itself is to destroy. */
  readonly roots: readonly string[];
  /** Directories of the box's own that are gone with it. To empty one is ordinary work. */
  readonly boxPaths?: readonly string[];
  /** The environment that the command is started with. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Its standard input; absent or null: nothing. */
  readonly stdin?: string | null;
  /** The real path of a program by name or path; null: there is none. */
  readonly findProgram: (name: string) => string | null;
  /** PATH has directories in which anything may lie: a name alone does not say which program it is. */
  readonly isPathUnknown?: boolean;
}

/** The directories in which a command may run, the likeliest first; null: an unknown one. */
export type Directories = readonly (string | null)[];

export interface CommandLine {
  /** The program's name, without its directory. */
  readonly name: string;
  /** All words, the program's as well. */
  readonly words: readonly CommandWord[];
  readonly args: readonly CommandWord[];
  readonly context: CommandContext;
  readonly cwds: Directories;
  /** Something is piped or redirected into it. */
  readonly hasInput: boolean;
}
