// Where git waits for a person: it asks which parts to take, or opens an editor or a tool.

import { type EffectRule, interactive } from "../../rules/effect-rule.ts";
import type { OptionSpec } from "../../rules/option-spec.ts";
import { readOptions } from "../../rules/read-options.ts";
import type { CommandLine } from "../../words/command-line.ts";
import { readGitWords } from "./git-words.ts";

const patching = new Set("add checkout commit reset restore stage stash".split(" "));
const askingOptions: OptionSpec = {
  values:
    "-m --message -F --file -C -c -x --exec --author --date -e --exclude -t --template -b -B --orphan -s --source --onto --trailer --fixup --squash",
  optional: "-S --gpg-sign -u --untracked-files",
  switches: "--patch --pathspec-from-file --pathspec-file-nul --interactive --edit --edit-todo --edit-description",
};

function isAsking({ args }: CommandLine): boolean {
  const { subcommand, args: words } = readGitWords(args);
  const read = readOptions(words, askingOptions);
  if (subcommand === "rebase") return read.has("-i", "--interactive", "--edit-todo");
  if (subcommand === "clean" || subcommand === "am") return read.has("-i", "--interactive");
  if (
    (subcommand === "add" || subcommand === "stage") &&
    (read.has("-i", "--interactive", "--edit") || words.some(({ text }) => /^-[a-z]*e$/i.test(text ?? "")))
  )
    return true;
  if (subcommand === "commit" && read.has("--interactive")) return true;
  if (subcommand !== null && /^(?:mergetool|difftool|gui|citool)$/.test(subcommand))
    return !read.has("--tool-help", "-y", "--no-prompt");
  // `stash show -p` prints. Only subcommands that make a stash ask which parts to take.
  if (subcommand === "stash" && !/^(?:-.*|push|save)$/.test(words[0]?.text ?? "-")) return false;
  return subcommand !== null && patching.has(subcommand) && read.has("-p", "--patch");
}

export const gitQuestions: EffectRule = interactive(isAsking);
