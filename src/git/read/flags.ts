// The flags that each of the eight operations takes in `args`. To add a flag, put its name into the group with the same kind of
// values.
// Flags are left out, and so refused, if they write (--output), run a program (--ext-diff, --textconv, --show-signature,
// --remerge-diff, --help, --alternate-refs), run git in a submodule with the submodule's configuration (--submodule=diff,
// --ignore-submodules=none, --recurse-submodules), read outside the repository (--no-index, -O, --contents,
// --exclude-from), wait for input (--stdin), or print escape codes (--color).

import { type FlagTable, optional, revisions, switches, valued } from "../flag.ts";
import {
  count,
  dateFormat,
  filter,
  oneOf,
  percent,
  prettyFormat,
  refFormat,
  revisionValue,
  scoreOr,
  sortKey,
  text,
  widths,
} from "./values.ts";

const algorithms = oneOf("myers", "minimal", "patience", "histogram", "default");
const plain = valued(oneOf("never"), "--color");

const diffFlags = [
  ...plain,
  ...switches(`-w -b --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines
    -p -u --patch -s --no-patch --raw --numstat --shortstat --summary --name-only --name-status --compact-summary
    --patch-with-stat --patch-with-raw --no-renames --find-copies-harder -R --full-index --binary -a --text --check -z
    --minimal --patience --histogram --indent-heuristic --no-indent-heuristic -W --function-context --no-function-context --no-prefix
    --pickaxe-regex --pickaxe-all -D --irreversible-delete --no-color --no-ext-diff --no-textconv --ita-invisible-in-index
    --cumulative --rename-empty --no-rename-empty --no-relative`),
  ...switches("--default-prefix"), // from 2.41 on
  ...valued(count, "-U --unified --inter-hunk-context -l"),
  ...valued(
    text,
    `-S -G -I --ignore-matching-lines --word-diff-regex --src-prefix --dst-prefix --line-prefix --anchored --ws-error-highlight
    --output-indicator-new --output-indicator-old --output-indicator-context --skip-to --rotate-to`,
  ),
  ...valued(filter, "--diff-filter"),
  ...valued(algorithms, "--diff-algorithm"),
  ...valued(revisionValue, "--find-object"),
  ...valued(count, "--stat-width --stat-name-width --stat-count --stat-graph-width"),
  ...optional(widths, "--stat"),
  ...optional(count, "--abbrev"),
  ...optional(percent, "-M -C --find-renames --find-copies"),
  ...optional(text, "-B --break-rewrites -X --dirstat --dirstat-by-file --relative"),
  ...optional(oneOf("plain", "porcelain", "none"), "--word-diff"),
  ...optional(oneOf("short", "log"), "--submodule"),
  ...optional(oneOf("dirty", "all"), "--ignore-submodules"),
];

const commitFlags = [
  ...switches(`--oneline --abbrev-commit --no-abbrev-commit --no-abbrev --no-decorate --no-notes --root -t --no-expand-tabs --mailmap --use-mailmap
    --no-mailmap --full-diff --parents --children --left-right --cherry-mark --standard-notes --no-standard-notes --encode-email-headers`),
  ...valued(dateFormat, "--date"),
  ...valued(oneOf("UTF-8", "utf-8", "utf8"), "--encoding"),
  ...valued(prettyFormat, "--format"),
  ...optional(prettyFormat, "--pretty"),
  ...optional(oneOf("short", "full", "auto", "no"), "--decorate"),
  ...optional(count, "--expand-tabs"),
  ...optional(text, "--notes --show-linear-break"),
  // How a merge is shown. Without `remerge`, which runs merge drivers, and `on`, which may mean `remerge`. `-m` is `separate` here.
  ...switches("-c --cc -m --no-diff-merges --combined-all-paths --first-parent"),
  ...valued(
    oneOf("off", "none", "first-parent", "1", "separate", "combined", "c", "dense-combined", "cc"),
    "--diff-merges",
  ),
];

const walkFlags = [
  ...switches(`--all --graph --no-graph --merges --no-merges --reverse --follow -i --regexp-ignore-case -E --extended-regexp
    -F --fixed-strings -P --perl-regexp --basic-regexp --invert-grep --all-match --date-order --topo-order --author-date-order --simplify-merges
    --simplify-by-decoration --full-history --dense --sparse --boundary -g --walk-reflogs --reflog --source --cherry-pick --cherry
    --left-only --right-only --do-walk --remove-empty --relative-date --log-size --show-pulls --no-min-parents --no-max-parents
    --exclude-first-parent-only --clear-decorations --merge --bisect --ignore-missing -q --quiet --not -<number>`),
  ...valued(count, "-n --max-count --skip --min-parents --max-parents --max-age --min-age"),
  ...valued(text, "--since --after --until --before --since-as-filter --author --committer --grep --grep-reflog"),
  ...valued(text, "--glob --exclude --decorate-refs --decorate-refs-exclude"),
  ...valued(text, "-L"),
  ...optional(text, "--branches --tags --remotes"),
  ...optional(revisionValue, "--ancestry-path"),
  ...optional(oneOf("sorted", "unsorted"), "--no-walk"),
];

const statusFlags = [
  ...switches(
    "-b --branch --no-branch -s --short --show-stash --no-show-stash --ahead-behind --no-ahead-behind -z --null --renames --no-renames",
  ),
  ...optional(oneOf("v1", "v2", "1", "2"), "--porcelain"),
  ...optional(oneOf("no", "normal", "all"), "-u --untracked-files"),
  ...optional(oneOf("traditional", "no", "matching"), "--ignored"),
  ...optional(oneOf("dirty", "all"), "--ignore-submodules"),
  ...optional(percent, "-M --find-renames"),
];

const branchFlags = [
  ...plain,
  ...switches(
    "-a --all -r --remotes -l --list -v --verbose --show-current -i --ignore-case --no-color --no-column --no-abbrev",
  ),
  ...switches("--omit-empty"), // from 2.42 on
  ...revisions(revisionValue, "--contains --no-contains --merged --no-merged --points-at"),
  ...valued(sortKey, "--sort"),
  ...valued(refFormat, "--format"),
  ...optional(count, "--abbrev"),
];

const blameFlags = [
  ...switches(`-b --root --show-stats -l -t -p --porcelain --line-porcelain -s -e --show-email -f --show-name -n --show-number -c -w --score-debug
    --first-parent --incremental --no-progress --minimal --reverse`),
  ...valued(text, "-L --since --after --until --before"),
  ...valued(dateFormat, "--date"),
  ...valued(revisionValue, "--ignore-rev"),
  ...valued(algorithms, "--diff-algorithm"),
  ...valued(oneOf("UTF-8", "utf-8", "utf8"), "--encoding"),
  ...optional(scoreOr("M"), "-M"),
  ...optional(scoreOr("C"), "-C"),
  ...optional(count, "--abbrev"),
];

const lsFilesFlags = [
  ...switches(`-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -z -t -v -f --directory
    --empty-directory --no-empty-directory --exclude-standard --full-name --error-unmatch --deduplicate --eol --sparse --resolve-undo`),
  ...valued(text, "-x --exclude"),
  ...valued(refFormat, "--format"), // from 2.38 on
  ...valued(revisionValue, "--with-tree"),
  ...optional(count, "--abbrev"),
];

const revParseFlags = [
  ...switches(`--verify -q --quiet --symbolic --symbolic-full-name --all --is-inside-work-tree --is-inside-git-dir --is-bare-repository
    --is-shallow-repository --show-prefix --show-cdup --show-toplevel --git-dir --absolute-git-dir --git-common-dir --revs-only --no-revs
    --no-flags --not`),
  ...switches("--show-ref-format"), // from 2.44 on
  ...valued(oneOf("absolute", "relative"), "--path-format"),
  ...optional(text, "--branches --tags --remotes"),
  ...optional(count, "--short"),
  ...optional(oneOf("strict", "loose"), "--abbrev-ref"),
  ...optional(oneOf("storage", "input", "output"), "--show-object-format"),
];

export const gitOperations = ["status", "log", "diff", "show", "branch", "blame", "ls_files", "rev_parse"] as const;
export type GitOperation = (typeof gitOperations)[number];

const withoutReflog = walkFlags.filter(([name]) => !["-g", "--walk-reflogs", "--follow"].includes(name));

/** A Map, so that `__proto__` and `constructor` are not operations. */
export const flagTables: ReadonlyMap<GitOperation, FlagTable> = new Map<GitOperation, FlagTable>([
  ["status", new Map(statusFlags)],
  ["log", new Map([...diffFlags, ...commitFlags, ...walkFlags])],
  [
    "diff",
    new Map([
      ...diffFlags,
      ...switches("--cached --staged --merge-base --exit-code --quiet --base --ours --theirs -0 -1 -2 -3 --cc -c"),
    ]),
  ],
  ["show", new Map([...diffFlags, ...commitFlags, ...withoutReflog])],
  ["branch", new Map(branchFlags)],
  ["blame", new Map(blameFlags)],
  ["ls_files", new Map(lsFilesFlags)],
  ["rev_parse", new Map(revParseFlags)],
]);
