// What git can lose or rewrite, ask a person, and send away. Subcommands that git does not have by itself are aliases,
// and are read elsewhere.

import type { Effect } from "../../action/effect.ts";
import { type CommandWord, resolvePath, textsOf } from "../command-word.ts";
import { readGitWords } from "../git-words.ts";
import { type LooseSpec, type LooseWords, readLoose } from "../loose-options.ts";
import { destroy, interactive, row, type RiskRow, type RiskyCommand } from "../risk-row.ts";

type Loses = (read: LooseWords, args: readonly CommandWord[], settings: readonly CommandWord[]) => boolean;

const always: Loses = () => true;
const has =
  (...names: string[]): Loses =>
  (read) =>
    read.has(...names);
const verb = ({ operands }: LooseWords): string => operands[0]?.text ?? "";

/** By subcommand: how its options are read, and when it loses something. */
const losing: Readonly<Record<string, readonly [LooseSpec, Loses]>> = {
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
    has("-d", "-D", "--delete", "-M", "-C", "-f", "--force"),
  ],
  tag: [
    { values: "-m --message -F --file -u --local-user -n --sort --format", switches: "--delete --force --list" },
    has("-d", "--delete", "-f", "--force"),
  ],
  stash: [
    { values: "-m --message" },
    (read) => !/^(?:list|show|create|store|apply|pop|branch)$/.test(verb(read)) && verb(read) !== "--help",
  ],
  rebase: [{ values: "-x --exec --onto -s --strategy -X" }, (read) => !read.has("--show-current-patch")],
  push: [
    {
      values: "-o --push-option --repo --receive-pack --exec --recurse-submodules",
      switches:
        "--force --force-with-lease --force-if-includes --delete --mirror --prune --all --tags --dry-run --set-upstream --follow-tags",
    },
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

/** `checkout` with more than a branch: behind `--`, with a second operand, or by its look. */
function namesPaths({ operands, endMark }: LooseWords): boolean {
  if (endMark !== null) return operands.length > endMark;
  if (operands.length > 1) return true;
  const shape = operands[0]?.shape ?? "";
  return /^\.{1,2}(?:$|\/)|^:|\/$|[*?[]|[^\d.]\.[a-z]\w{0,4}$/i.test(shape);
}

function isLosing({ args }: RiskyCommand): boolean {
  const git = readGitWords(args);
  const known = git.subcommand === null || !Object.hasOwn(losing, git.subcommand) ? undefined : losing[git.subcommand];
  if (known === undefined) return false;
  const [spec, loses] = known;
  if (git.args.some(({ text }) => text === "--help" || text === "-h") && git.args.length === 1) return false;
  return loses(readLoose(git.args, spec), git.args, git.settings);
}

const patching = new Set("add checkout commit reset restore stash".split(" "));

function isAsking({ args }: RiskyCommand): boolean {
  const { subcommand, args: words } = readGitWords(args);
  const read = readLoose(words, { values: "-m --message -F --file -C -c -x --exec --author --date -e --exclude" });
  if (subcommand === "rebase") return read.has("-i", "--interactive", "--edit-todo");
  if (subcommand === "clean") return read.has("-i", "--interactive");
  if (
    subcommand === "add" &&
    (read.has("-i", "--interactive", "--edit") || words.some(({ text }) => /^-[a-z]*e$/i.test(text ?? "")))
  )
    return true;
  if (subcommand === "commit" && read.has("--interactive")) return true;
  if (subcommand !== null && /^(?:mergetool|difftool|gui|citool)$/.test(subcommand))
    return !read.has("--tool-help", "-y", "--no-prompt");
  return subcommand !== null && patching.has(subcommand) && read.has("-p", "--patch");
}

export const gitRisks: readonly RiskRow[] = [
  // First: no rule opens it, so that a hint at how to allow what it destroys would lead nowhere.
  row(
    "push",
    "git",
    {
      is: [
        "git push",
        "git push origin main",
        "git -C x push -f",
        "env A=b git push",
        "timeout 5 git push",
        "git send-pack x",
      ],
      isNot: ["git stash push", "git log push", "git help push", "echo git push", "git commit -m push"],
    },
    findPushes,
  ),
  destroy(
    "git",
    "git",
    {
      is: [
        "git reset --hard HEAD~1",
        "git reset --har",
        "git -C . reset --keep",
        "git clean -fdx",
        "git clean -d -f",
        "git -c clean.requireForce=false clean -d",
        "git checkout -f main",
        "git checkout -- a.txt",
        "git checkout .",
        "git checkout HEAD a.txt",
        "git checkout src/a.ts",
        "git checkout -B main",
        "git switch --discard-changes main",
        "git restore .",
        "git restore --staged --worktree a",
        "git branch -D main",
        "git branch -d x",
        "git branch --delete --force x",
        "git branch -M a b",
        "git tag -d v1",
        "git stash",
        "git stash push -m x",
        "git stash -u",
        "git stash clear",
        "git stash drop",
        "git rebase main",
        "git push -f",
        "git push --force-with-lease",
        "git push origin +main",
        "git push origin :main",
        "git push --delete origin main",
        "git push --mirror",
        "git filter-branch --all",
        "git update-ref -d refs/heads/x",
        "git reflog expire --expire=now --all",
        "git gc --prune=now",
        "git worktree remove --force x",
        "git submodule deinit -f --all",
        "git rm -rf .",
        "git --git-dir=x --no-pager reset --hard",
        "env git reset --hard",
      ],
      isNot: [
        "git add -A",
        "git commit -m 'reset --hard'",
        "git commit --amend --no-edit",
        "git reset HEAD -- a.txt",
        "git reset --soft HEAD~1",
        "git stash list",
        "git stash show -p",
        "git stash pop",
        "git status",
        "git diff",
        "git fetch",
        "git push origin main",
        "git push",
        "git checkout main",
        "git checkout -b x origin/main",
        "git checkout feature/x",
        "git checkout v1.2",
        "git switch main",
        "git restore --staged a.txt",
        "git branch",
        "git branch x",
        "git branch --list",
        "git tag v1",
        "git clean -n",
        "git clean -nf",
        "git gc",
        "git log --grep=clean",
        "git worktree add x",
        "git rm --cached -f x",
        "git merge main",
      ],
    },
    isLosing,
  ),
  interactive(
    "git",
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
      ],
      isNot: [
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
  ),
];

function findPushes({ args, places }: RiskyCommand): Effect[] {
  const git = readGitWords(args);
  if (git.subcommand !== "push" && git.subcommand !== "send-pack") return [];
  const read = readLoose(git.args, losing["push"]?.[0]);
  const [first, ...refs] = read.operands;
  const target = pushTarget(first ?? read.value("--repo"), git.directories, places.cwds[0] ?? null);
  if (refs.length === 0) return [{ kind: "push", target, branch: null, by: "command" }];
  return refs.map(({ text }) => ({
    kind: "push",
    target,
    branch: text === null ? null : branchOf(text),
    by: "command",
  }));
}

function pushTarget(word: CommandWord | null, directories: readonly CommandWord[], cwd: string | null): string {
  const text = word?.text ?? null;
  if (text === null || text === "") return "*";
  if (!/^(?:\/|\.{1,2}(?:\/|$))/.test(text)) return text;
  let from = cwd;
  for (const directory of textsOf(directories)) from = directory === null ? null : resolvePath(directory, from);
  return resolvePath(text, from) ?? "*";
}

/** The branch on the other side; null where only git knows, and for what is no branch. */
function branchOf(refspec: string): string | null {
  const spec = refspec.replace(/^\+/, "");
  const side = spec.slice(spec.indexOf(":") + 1);
  if (side === "" || side === "HEAD" || side === "@" || side.includes("*")) return null;
  if (side.startsWith("refs/heads/")) return side.slice("refs/heads/".length);
  return side.startsWith("refs/") ? null : side;
}
