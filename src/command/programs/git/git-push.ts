// What git sends to another repository, by whichever subcommand. What other systems send (`hg push`, `svn commit`) counts as
// network: they have no other way out.

import type { Effect } from "../../../action/effect.ts";
import { type EffectRule, push } from "../../rules/effect-rule.ts";
import type { OptionSpec } from "../../rules/option-spec.ts";
import { type ReadOptions, readOptions } from "../../rules/read-options.ts";
import { type CommandWord, resolvePathText, textsOf } from "../../words/command-word.ts";
import { readGitWords } from "./git-words.ts";

export const pushOptions: OptionSpec = {
  values: "-o --push-option --repo --receive-pack --exec --recurse-submodules",
  switches:
    "--force --force-with-lease --force-if-includes --delete --mirror --prune --all --tags --dry-run --set-upstream --follow-tags",
};

/** The words that say where to, and then what; none: somewhere. null: it sends nothing. */
type Sends = (read: ReadOptions) => readonly CommandWord[] | null;

const anywhere: Sends = () => [];
const asPush: Sends = ({ operands, value }) => {
  const repository = value("--repo");
  return operands.length === 0 && repository !== null ? [repository] : operands;
};
const verb =
  (names: RegExp): Sends =>
  ({ operands: [first, ...rest] }) =>
    names.test(first?.text ?? "") ? rest : null;
/** The verb sends something, and its words name no git repository. */
const verbAnywhere =
  (names: RegExp): Sends =>
  (read) =>
    verb(names)(read) === null ? null : [];
const helper: readonly [OptionSpec, Sends] = [{}, ({ operands }) => operands.slice(operands.length > 1 ? 1 : 0)];

/** By subcommand: how its options are read, and what it sends. */
const sending: ReadonlyMap<string, readonly [OptionSpec, Sends]> = new Map<string, readonly [OptionSpec, Sends]>([
  ["push", [pushOptions, asPush]],
  ["send-pack", [pushOptions, asPush]],
  ["http-push", [{}, asPush]],
  ["subtree", [{ values: "-P --prefix -m --message -b --branch --annotate --onto" }, verb(/^push$/)]],
  ["lfs", [{}, verb(/^(?:push|pre-push)$/)]],
  [
    "annex",
    [
      { values: "--to --from -J --jobs" },
      (read) =>
        verbAnywhere(/^(?:push|sync|assist)$/)(read) ??
        (read.has("--to") ? verbAnywhere(/^(?:copy|move|mirror)$/)(read) : null),
    ],
  ],
  [
    "review",
    [
      { values: "-t --topic --reviewers -r --remote" },
      (read) =>
        read.has("-l", "--list", "-d", "--download", "-x", "-X", "-N", "-m", "-s", "--setup", "--version") ? null : [],
    ],
  ],
  ["svn", [{}, verbAnywhere(/^(?:dcommit|commit-diff|set-tree|branch|tag)$/)]],
  ["p4", [{}, verbAnywhere(/^(?:submit|commit)$/)]],
  ["send-email", [{}, ({ has }) => (has("--dump-aliases") ? null : [])]],
  ["imap-send", [{}, anywhere]],
  // These speak with another git, which gives them on their input what to send.
  ...["http", "https", "ftp", "ftps", "ext", "fd"].map((name) => [`remote-${name}`, helper] as const),
]);

export const gitPush: EffectRule = push(({ args, cwds }) => {
  const git = readGitWords(args);
  const [spec, sends] = sending.get(git.subcommand ?? "") ?? [];
  if (sends === undefined || (git.args.length === 1 && /^(?:-h|--help)$/.test(git.args[0]?.text ?? ""))) return [];
  return pushes(sends(readOptions(git.args, spec)), git.directories, cwds[0] ?? null);
});

function pushes(
  words: readonly CommandWord[] | null,
  directories: readonly CommandWord[],
  cwd: string | null,
): Effect[] {
  if (words === null) return [];
  const [first = null, ...refs] = words;
  const target = pushTarget(first, directories, cwd);
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
  for (const directory of textsOf(directories)) from = directory === null ? null : resolvePathText(directory, from);
  return resolvePathText(text, from) ?? "*";
}

/** The branch in the target; null where only git knows it, and for a tag and other refs. */
function branchOf(refspec: string): string | null {
  const spec = refspec.replace(/^\+/, "");
  const side = spec.slice(spec.indexOf(":") + 1);
  if (side === "" || side === "HEAD" || side === "@" || side.includes("*")) return null;
  if (side.startsWith("refs/heads/")) return side.slice("refs/heads/".length);
  return side.startsWith("refs/") ? null : side;
}
