// Splits a git command line: the options before the subcommand, the subcommand, and its words.

import { type CommandWord, knownWord } from "../../words/command-word.ts";

export interface GitWords {
  /** null: there is none, or only the run will know it. */
  readonly subcommand: string | null;
  readonly args: readonly CommandWord[];
  /** The values of `-c`: `name=value`. */
  readonly settings: readonly CommandWord[];
  /** The values of `-C`, in order. */
  readonly directories: readonly CommandWord[];
}

const withValue = new Set(
  "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source --list-cmds".split(
    " ",
  ),
);

export function readGitWords(args: readonly CommandWord[]): GitWords {
  const settings: CommandWord[] = [];
  const directories: CommandWord[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? null;
    if (text === null || !text.startsWith("-")) break;
    // git takes neither -Cdir nor -cname=value joined, and --exec-path only with `=`.
    if (!withValue.has(text) || text === "--exec-path") continue;
    const value = args[++at];
    if (value === undefined) break;
    if (text === "-c") settings.push(value);
    if (text === "--config-env") settings.push(knownWord(value.text ?? ""));
    if (text === "-C") directories.push(value);
  }
  const rest = args.slice(at);
  return { subcommand: rest[0]?.text ?? null, args: rest.slice(1), settings, directories };
}
