// When git loses or rewrites work, by subcommand. git-starts.ts resolves aliases, and `git-reset`, which is `git reset`.

import { destroy, type EffectRule } from "../../rules/effect-rule.ts";
import type { OptionSpec } from "../../rules/option-spec.ts";
import { type ReadOptions, readOptions } from "../../rules/read-options.ts";
import type { CommandLine } from "../../words/command-line.ts";
import type { CommandWord } from "../../words/command-word.ts";
import { pushOptions } from "./git-push.ts";
import { readGitWords } from "./git-words.ts";

type Loses = (read: ReadOptions, args: readonly CommandWord[], settings: readonly CommandWord[]) => boolean;

const always: Loses = () => true;
const has =
  (...names: string[]): Loses =>
  (read) =>
    read.has(...names);
const verb = ({ operands }: ReadOptions): string => operands[0]?.text ?? "";

/** By subcommand: how its options are read, and when it loses something. */
const losing: Readonly<Record<string, readonly [OptionSpec, Loses]>> = {
  reset: [
    { switches: "--hard --merge --keep --soft --mixed --patch --quiet --no-refresh" },
    has("--hard", "--merge", "--keep"),
  ],
  clean: [
    { values: "-e --exclude", switches: "--force --dry-run --quiet --interactive" },
    (read, _, settings) =>
      !read.has("-n", "--dry-run") &&
      (read.has("-f", "--force") || settings.some(({ text }) => /^clean\.requireforce=/i.test(text ?? ""))),
  ],
  checkout: [
    {
      values: "-b -B --orphan --conflict --pathspec-from-file",
      switches: "--force --ours --theirs --merge --detach --track --quiet",
    },
    (read) =>
      read.has("-f", "--force", "-B", "--pathspec-from-file") || (!read.has("-b", "--orphan") && namesPaths(read)),
  ],
  switch: [
    {
      values: "-c --create -C --force-create --orphan --conflict",
      switches: "--force --discard-changes --detach --merge",
    },
    has("-f", "--force", "--discard-changes", "-C", "--force-create"),
  ],
  restore: [
    { values: "-s --source --conflict --pathspec-from-file", switches: "--staged --worktree --patch --ours --theirs" },
    (read) => !read.has("-S", "--staged") || read.has("-W", "--worktree"),
  ],
  branch: [
    {
      values: "-u --set-upstream-to --contains --no-contains --sort --points-at --format",
      switches: "--delete --force --move --copy --list --all --remotes --merged",
    },
    // git itself refuses to delete with -d what is merged nowhere.
    has("-D", "-M", "-C", "-f", "--force"),
  ],
  tag: [
    { values: "-m --message -F --file -u --local-user -n --sort --format", switches: "--delete --force --list" },
    has("-d", "--delete", "-f", "--force"),
  ],
  stash: [
    { values: "-m --message" },
    (read) => !/^(?:list|show|create|store|apply|pop|branch)$/.test(verb(read)) && verb(read) !== "--help",
  ],
  rebase: [
    {
      values: "-x --exec --onto -s --strategy -X",
      switches: "--continue --abort --skip --quit --show-current-patch --edit-todo",
    },
    // To continue a rebase, or to end it, starts none.
    (read) => !read.has("--continue", "--abort", "--skip", "--quit", "--show-current-patch"),
  ],
  push: [
    pushOptions,
    (read) =>
      read.has("-f", "--force", "--force-with-lease", "-d", "--delete", "--mirror", "--prune") ||
      read.operands.slice(1).some(({ text }) => /^[+:]./.test(text ?? "")),
  ],
  "filter-branch": [{}, always],
  "filter-repo": [{}, always],
  "update-ref": [{ values: "-m" }, has("-d", "--stdin")],
  "symbolic-ref": [{ values: "-m" }, has("-d", "--delete")],
  reflog: [{}, (read) => /^(?:expire|delete)$/.test(verb(read))],
  gc: [{}, (_, args) => args.some(({ text }) => /^--prune(?:=now|=all)?$/.test(text ?? ""))],
  prune: [{}, (read) => !read.has("-n", "--dry-run")],
  worktree: [{ values: "-b -B --reason" }, (read) => verb(read) === "remove" && read.has("-f", "--force")],
  submodule: [{}, (read) => (verb(read) === "deinit" || verb(read) === "update") && read.has("-f", "--force")],
  rm: [
    { switches: "--force --cached --dry-run" },
    (read) => read.has("-f", "--force") && !read.has("--cached", "-n", "--dry-run"),
  ],
  "read-tree": [{}, (read) => read.has("--reset") || (read.has("-u") && !read.has("-m"))],
  "checkout-index": [{}, has("-f", "--force")],
};

/** `checkout` names files: behind `--`, as a second operand, or as one that looks like a path. */
function namesPaths({ operands, endMark }: ReadOptions): boolean {
  if (endMark !== null) return operands.length > endMark;
  if (operands.length > 1) return true;
  const shape = operands[0]?.shape ?? "";
  return /^\.{1,2}(?:$|\/)|^:|\/$|[*?[]|[^\d.]\.[a-z]\w{0,4}$/i.test(shape);
}

function isLosing({ args }: CommandLine): boolean {
  const git = readGitWords(args);
  const known = git.subcommand === null || !Object.hasOwn(losing, git.subcommand) ? undefined : losing[git.subcommand];
  if (known === undefined) return false;
  const [spec, loses] = known;
  if (git.args.some(({ text }) => text === "--help" || text === "-h") && git.args.length === 1) return false;
  return loses(readOptions(git.args, spec), git.args, git.settings);
}

export const gitLosses: EffectRule = destroy("git", isLosing);
