// Judges what stands before git's subcommand, for Shell. The rest is judged by git's own forms.

import { fail, ok, type Result } from "../../../shared/result.ts";
import { refuseForm, showWord } from "../../rules/judge-options.ts";
import { type Form, type FormContext, judgedBy, type PathspecMode, type ShellRule } from "../../rules/shell-rule.ts";

export const gitForms: ShellRule = judgedBy(readGit);

// The gate gives git these options anyway.
const alwaysPassed = new Set([
  "--no-pager",
  "--no-optional-locks",
  "--no-replace-objects",
  "--no-lazy-fetch",
  "--no-advice",
]);
const pathspecOptions: ReadonlyMap<string, PathspecMode> = new Map([
  ["--literal-pathspecs", "literal"],
  ["--glob-pathspecs", "glob"],
  ["--noglob-pathspecs", "noglob"],
  ["--icase-pathspecs", "icase"],
]);
/** Words with which git prints something about itself, and needs no repository. */
const aboutItself =
  /^(?:(?:--version|-v|version)(?: --build-options)?|--help|-h|help|--exec-path|--html-path|--man-path|--info-path)$/;

function readGit(args: readonly string[], { isWhole }: FormContext): Result<Form> {
  if (!isWhole)
    return refuseForm(
      "git is judged by all of its words, so no program may start it that adds some, or starts it many times.",
      "Start git by itself, or behind env.",
    );
  let directory: string | null = null;
  const pathspecs = new Set<PathspecMode>();
  let at = 0;
  for (; args[at]?.startsWith("-") === true && !aboutItself.test(args.slice(at).join(" ")); at++) {
    const word = args[at] ?? "";
    const mode = pathspecOptions.get(word);
    if (mode !== undefined) pathspecs.add(mode);
    if (mode !== undefined || alwaysPassed.has(word)) continue;
    if (word !== "-C") return refuseOption(word);
    if (directory !== null) return refuseForm("git -C stands twice.", "Write the whole path in one.");
    directory = args[++at] ?? "";
    if (directory === "") return fail("invalid_args", "command: git -C needs a directory.");
  }
  const words = args.slice(at);
  if (words.length === 0)
    return fail("invalid_args", "command: git needs a subcommand.", { hint: "Write git status, for example." });
  const isAboutItself = aboutItself.test(words.join(" "));
  if (!isAboutItself && words[0] === "help") return startsMan("git help");
  return ok({
    kind: "git",
    words,
    isAboutItself,
    directories: directory === null ? [] : [directory],
    pathspecs: [...pathspecs],
    paths: [],
    inner: [],
    variables: [],
  });
}

function refuseOption(word: string): Result<never> {
  if (/^(?:--help|-h)$/.test(word)) return startsMan(`git ${word}`);
  if (/^(?:--version|-v|--exec-path|--html-path|--man-path|--info-path)$/.test(word))
    return refuseForm(`git ${word} is a question of its own.`, "Ask it alone.");
  return refuseForm(
    `git ${showWord(word)} before the subcommand changes what git reads or runs.`,
    "Before the subcommand, -C DIRECTORY, --no-pager and the pathspec options pass.",
  );
}

function startsMan(written: string): Result<never> {
  return refuseForm(`${written} with more words starts man or a pager.`, "git help alone lists the commands.");
}
