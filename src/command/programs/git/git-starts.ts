// Commands that git starts: aliases, the commands of a rebase or a bisect, programs named in settings. And git itself
// under other names: `git-push`, wherever it lies, is `git push`.

import { readOptions } from "../../rules/read-options.ts";
import {
  startCommand,
  type Started,
  startScript,
  type StartRule,
  unknownStart,
  withMoreWords,
} from "../../rules/start-rule.ts";
import { type CommandWord, knownWord, unknownWord } from "../../words/command-word.ts";
import { scanCommand } from "../../words/scan.ts";
import { textOf } from "../../words/shell-word.ts";
import { readGitWords } from "./git-words.ts";

export const ownSubcommands: ReadonlySet<string> = new Set(
  (
    "add am annex annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format " +
    "checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential " +
    "daemon describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo " +
    "fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help hook http-fetch http-push imap-send index-pack init " +
    "init-db instaweb interpret-trailers last-modified lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file " +
    "merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune " +
    "prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs remote remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https repack replace replay repo request-pull rerere " +
    "reset restore rev-list rev-parse revert review rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage " +
    "stash status stripspace submodule subtree survey svn switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info " +
    "upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
  ).split(" "),
);
const runningSetting =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|gpg\.(?:.*\.)?program|.*\.(?:cmd|textconv|command|clean|smudge|process|helper|driver))$/;

export const gitStarts: StartRule = ({ args }) => readGit(args);

function readGit(args: readonly CommandWord[]): Started[] {
  const git = readGitWords(args);
  const found: Started[] = [];
  const aliases = new Map<string, string>();
  if (args.some(({ text }) => text?.startsWith("--config-env") === true)) found.push(unknownStart);
  for (const { text } of git.settings) {
    if (text === null) found.push(unknownStart);
    const equals = text?.indexOf("=") ?? -1;
    const [name, value] =
      text === null || equals < 0 ? ["", ""] : [text.slice(0, equals).toLowerCase(), text.slice(equals + 1)];
    if (name.startsWith("alias.")) aliases.set(name.slice("alias.".length), value);
    else found.push(...startedBySetting(name, value));
  }
  const { subcommand } = git;
  if (subcommand === null || subcommand === "") return found;
  if (ownSubcommands.has(subcommand)) found.push(...startedBySubcommand(subcommand, git.args));
  else if (!aliases.has(subcommand.toLowerCase())) return [...found, unknownStart];
  // An alias is followed also where its name is a subcommand: older versions of git may not have it.
  return [...found, ...startedByAlias(subcommand, git.args, aliases)];
}

function startedBySetting(name: string, value: string): Started[] {
  if (!runningSetting.test(name) || /^(?:|true|false|cat|yes|no|on|off|[01])$/i.test(value)) return [];
  return startScript(withMoreWords(knownWord(value.replace(/^!/, ""))));
}

/** `git config NAME VALUE`: what git will run because of it. An editor or pager that is only named is not used yet. */
function startedByConfig(args: readonly CommandWord[]): Started[] {
  const read = readOptions(args, {
    values: "-f --file --blob --type -t --default --comment --value",
    stand: "before operands",
  });
  const [first, ...rest] = read.operands;
  const [name, value] = /^(?:set|add)$/.test(first?.text ?? "") ? readOptions(rest).operands : [first, ...rest];
  const key = name?.text?.toLowerCase() ?? "";
  if (value === undefined || read.has("--get", "--get-all", "--get-regexp", "--unset", "--unset-all")) return [];
  if (value.text === null) return key.startsWith("alias.") || runningSetting.test(key) ? [unknownStart] : [];
  if (key.startsWith("alias.")) return startedByAlias("x", [unknownWord], new Map([["x", value.text]]));
  return editing.test(key) && /^[\w./-]+( -[\w-]+)*$/.test(value.text) ? [] : startedBySetting(key, value.text);
}

const editing = /^(?:core\.(?:editor|pager)|sequence\.editor|pager\..*|.*\.helper)$/;
const MOST_ALIASES = 10;

function startedByAlias(name: string, args: readonly CommandWord[], aliases: ReadonlyMap<string, string>): Started[] {
  let rest = args;
  let alias = aliases.get(name.toLowerCase());
  for (let count = 0; alias !== undefined; count++) {
    if (alias.startsWith("!")) return startScript(withMoreWords(knownWord(alias.slice(1))));
    const words = scanCommand(alias);
    if (!words.ok || count === MOST_ALIASES) return [unknownStart];
    const [first, ...more] = words.value.words.map((word) => knownWord(textOf(word)));
    if (first === undefined) return [unknownStart];
    rest = [...more, ...rest];
    alias = aliases.get(first.text?.toLowerCase() ?? "");
    if (alias === undefined) return startCommand([knownWord("git"), first, ...rest]);
  }
  return [];
}

function startedBySubcommand(subcommand: string, args: readonly CommandWord[]): Started[] {
  const read = readOptions(args, { values: "-x --exec --extcmd", stand: "before operands" });
  const [verb, ...rest] = read.operands;
  if (subcommand === "rebase")
    return readOptions(args, { values: "-x --exec --onto -s --strategy -X" })
      .valuesOf("-x", "--exec")
      .flatMap((script) => startScript(script));
  if (subcommand === "config") return startedByConfig(args);
  if (subcommand === "difftool") return startScript(read.value("-x", "--extcmd"));
  if (subcommand === "bisect" && verb?.text === "run") return startCommand(rest);
  if (subcommand === "submodule" && verb?.text === "foreach") {
    const { operands } = readOptions(rest, { stand: "before operands" });
    return operands.length === 1 ? startScript(operands[0]) : startCommand(operands);
  }
  if (subcommand === "for-each-repo") return startCommand([knownWord("git"), ...forEachRepo(args)]);
  if (subcommand === "filter-branch" || subcommand === "hook") return [unknownStart];
  return otherSide.has(subcommand) ? startedOnOtherSide(subcommand, args) : [];
}

function forEachRepo(args: readonly CommandWord[]): readonly CommandWord[] {
  return readOptions(args, { values: "--config", stand: "before operands" }).operands;
}

const otherSide = new Set("archive clone fetch fetch-pack ls-remote pull push send-pack".split(" "));

/** For a repository on this machine a shell of git's starts the other side, and `ext::` names a command. */
function startedOnOtherSide(subcommand: string, args: readonly CommandWord[]): Started[] {
  const read = readOptions(args, {
    values: `--upload-pack --receive-pack --exec --remote -o ${subcommand === "clone" ? "-u -b -c" : ""}`,
  });
  const programs = read.valuesOf(
    "--upload-pack",
    "--receive-pack",
    "--exec",
    ...(subcommand === "clone" ? ["-u"] : []),
  );
  const remotes = [...read.operands, ...read.valuesOf("--remote")].flatMap(({ text }) =>
    text?.startsWith("ext::") === true ? [knownWord(text.slice("ext::".length))] : [],
  );
  return [
    ...programs.flatMap((program) => startScript(withMoreWords(program))),
    ...remotes.flatMap((remote) => startScript(remote)),
  ];
}

export const dashedGitStarts: StartRule = ({ name, args }) =>
  startCommand([knownWord("git"), knownWord(name.slice("git-".length)), ...args]);

export const hubStarts: StartRule = ({ args }) =>
  ownSubcommands.has(readGitWords(args).subcommand ?? "") ? startCommand([knownWord("git"), ...args]) : [];
