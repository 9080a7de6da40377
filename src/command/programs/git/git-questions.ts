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

export const gitQuestions: EffectRule = interactive(
  {
    is: [
      "git rebase -i HEAD~3",
      "git add -p",
      "git add -i",
      "git commit -p",
      "git checkout -p",
      "git stash -p",
      "git -C x add --patch",
      "git clean -i",
      "git stash push -p",
      "git stash push -m list --patch",
      "git stash -p -- show",
      "git reset -p",
      "git restore -p a",
      "git add --patc",
      "git am -i x.patch",
      "git-add -p",
      "/usr/lib/git-core/git-rebase -i HEAD~3",
    ],
    isNot: [
      "git stash show -p",
      "git stash show --patch 'stash@{0}'",
      "git stash list -p",
      "git-stash show -p",
      "git blame -p a",
      "git cat-file -p HEAD",
      "git format-patch -p -1",
      "git apply -p1 x",
      "git am -p1 x",
      "git checkout -bfix-p",
      "git commit -Spaul -m x",
      "git commit",
      "git add -A",
      "git log -p",
      "git diff -p",
      "git show -i",
      "git commit -m p",
      "git grep -i x",
    ],
  },
  isAsking,
);
