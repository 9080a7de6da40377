// Removes options that do not change which command it is: `git -C x --no-pager push` is a `git push`.

import type { Word } from "../action/effect.ts";
import { baseName } from "../shared/path.ts";

const gitOptionsWithValue = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
  "--config-env",
  "--attr-source",
]);

/** The program's base name first, without git's own options before the subcommand. */
export function plainCommand(argv: readonly Word[]): readonly Word[] {
  const [first = null, ...rest] = argv;
  const name = first === null ? null : baseName(first);
  return [name, ...(name === "git" ? rest.slice(gitSubcommandAt(rest)) : rest)];
}

function gitSubcommandAt(words: readonly Word[]): number {
  let at = 0;
  for (let word = words[at]; typeof word === "string" && word.startsWith("-"); word = words[at])
    at += gitOptionsWithValue.has(word) ? 2 : 1;
  return Math.min(at, words.length);
}
