// Version control: git. Only what stands before the subcommand is judged here; the rest is for git's own forms.

import { fail, ok, type Result } from "../../shared/result.ts";
import { refuseForm, showWord } from "../options.ts";
import { type Form, type FormContext, type ProgramRow, special } from "../program-row.ts";

export const versionControlPrograms: readonly ProgramRow[] = [
  special("git", readGit, {
    passes: ["git status", "git -C sub log --oneline -20", "git --no-pager diff", "git log -p -c"],
    refused: [
      "git",
      "git -C",
      "git -C . -C / log",
      "git -c core.fsmonitor=x status",
      "git --exec-path=/x log",
      "git --git-dir=x log",
      "git --work-tree=/ diff",
      "git -p log",
      "git --paginate log",
      "git --namespace=x log",
      "git --config-env=a=b log",
      "git --bare log",
      "env git status",
    ],
  }),
];

function readGit(args: readonly string[], { isInside }: FormContext): Result<Form> {
  if (isInside)
    return refuseForm(
      "git is judged by its subcommand, so no other program may start it.",
      "Start git by itself; variables can stand before it.",
    );
  let directory: string | null = null;
  let at = 0;
  for (; args[at]?.startsWith("-") === true; at++) {
    const word = args[at] as string;
    if (word === "--no-pager") continue;
    if (word !== "-C")
      return refuseForm(
        `git ${showWord(word)} before the subcommand changes what git reads or runs.`,
        "Before the subcommand, only -C DIRECTORY and --no-pager pass.",
      );
    if (directory !== null) return refuseForm("git -C stands twice.", "Write the whole path in one.");
    directory = args[++at] ?? "";
    if (directory === "") return fail("invalid_args", "command: git -C needs a directory.");
  }
  const words = args.slice(at);
  if (words.length === 0)
    return fail("invalid_args", "command: git needs a subcommand.", { hint: "Write git status, for example." });
  return ok({ kind: "git", words, directory });
}
