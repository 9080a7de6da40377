// Commands that git starts by its own words: aliases, hooks of a rebase, bisect's runs, programs from settings.

import { type CommandWord, knownWord, unknownWord } from "./command-word.ts";
import { readGitWords } from "./git-words.ts";
import { commandOf, type Inner, innerRow, joinedScript, scriptOf, unknownInner } from "./inner-row.ts";
import { readLoose } from "./loose-options.ts";
import { scanCommand } from "./scan.ts";
import { textOf } from "./glyph.ts";

const own = new Set(
  (
    "add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format " +
    "checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential " +
    "daemon describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo " +
    "fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help hook index-pack init " +
    "init-db instaweb interpret-trailers last-modified lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file " +
    "merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune " +
    "prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs remote repack replace replay repo request-pull rerere " +
    "reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage " +
    "stash status stripspace submodule subtree survey switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info " +
    "upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
  ).split(" "),
);
const runningSetting =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|gpg\.(?:.*\.)?program|.*\.(?:cmd|textconv|command|clean|smudge|process|helper|driver))$/;

export const gitInner = innerRow(
  "git",
  [
    ["git -c alias.x='!rm y' x", "rm y …"],
    ["git -c alias.x='push -f' x origin", "git push -f origin"],
    ["git -c core.pager='rm x' log", "rm x …"],
    ["git --config-env=alias.x=A x", "…"],
    ["git submodule foreach 'rm x'", "rm x"],
    ["git submodule foreach --recursive rm x", "rm x"],
    ["git bisect run rm x", "rm x"],
    ["git rebase -x 'rm x' main", "rm x"],
    ["git nosuchcommand", "…"],
    ["git -C x status"],
  ],
  ({ args }) => readGit(args),
);

function readGit(args: readonly CommandWord[]): Inner[] {
  const git = readGitWords(args);
  const found: Inner[] = [];
  const aliases = new Map<string, string>();
  if (args.some(({ text }) => text?.startsWith("--config-env") === true)) found.push(unknownInner);
  for (const { text } of git.settings) {
    if (text === null) found.push(unknownInner);
    const equals = text?.indexOf("=") ?? -1;
    const [name, value] =
      text === null || equals < 0 ? ["", ""] : [text.slice(0, equals).toLowerCase(), text.slice(equals + 1)];
    if (name.startsWith("alias.")) aliases.set(name.slice("alias.".length), value);
    else if (runningSetting.test(name) && !/^(?:|true|false|cat|yes|no|on|off|[01])$/i.test(value))
      found.push(...scriptOf(joinedScript([knownWord(value.replace(/^!/, "")), unknownWord])));
  }
  const { subcommand } = git;
  if (subcommand === null) return found;
  const alias = aliases.get(subcommand.toLowerCase());
  if (own.has(subcommand)) return [...found, ...subcommandInner(subcommand, git.args)];
  if (alias === undefined) return subcommand === "" ? found : [...found, unknownInner];
  if (alias.startsWith("!")) return [...found, ...scriptOf(joinedScript([knownWord(alias.slice(1)), unknownWord]))];
  const words = scanCommand(alias);
  if (!words.ok) return [...found, unknownInner];
  return [
    ...found,
    ...commandOf([knownWord("git"), ...words.value.words.map((word) => knownWord(textOf(word))), ...git.args]),
  ];
}

function subcommandInner(subcommand: string, args: readonly CommandWord[]): Inner[] {
  const read = readLoose(args, { values: "-x --exec --extcmd", stand: "before operands" });
  const [verb, ...rest] = read.operands;
  if (subcommand === "rebase")
    return readLoose(args, { values: "-x --exec --onto -s --strategy -X" })
      .valuesOf("-x", "--exec")
      .flatMap((script) => scriptOf(script));
  if (subcommand === "difftool") return scriptOf(read.value("-x", "--extcmd"));
  if (subcommand === "bisect" && verb?.text === "run") return commandOf(rest);
  if (subcommand === "submodule" && verb?.text === "foreach") {
    const { operands } = readLoose(rest, { stand: "before operands" });
    return operands.length === 1 ? scriptOf(operands[0]) : commandOf(operands);
  }
  if (subcommand === "filter-branch" || subcommand === "hook" || subcommand === "for-each-repo") return [unknownInner];
  return [];
}
