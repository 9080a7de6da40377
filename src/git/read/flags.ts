// What each of the eight operations takes in `args`. To add a flag: put its name into the group whose values it has.
// Not here, and so refused: what writes (--output), runs a program (--ext-diff, --textconv, --show-signature,
// --remerge-diff, --help), reads outside the repository (--no-index, -O, --contents, --exclude-from), waits for input
// (--stdin), or prints escape codes (--color).

import { type FlagTable, optional, switches, valued } from "../flag.ts";
import { count, dateFormat, filter, lines, oneOf, percent, prettyFormat, refFormat, revisionValue, sortKey, text, widths } from "./values.ts";

const whitespace = switches(`-w -b --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines`);

const diffFlags = [
  ...whitespace,
  ...switches(`-p -u --patch -s --no-patch --raw --numstat --shortstat --summary --name-only --name-status --compact-summary
    --patch-with-stat --patch-with-raw --no-renames --find-copies-harder -R --full-index --binary -a --text --check -z
    --minimal --patience --histogram --indent-heuristic --no-indent-heuristic -W --function-context --no-prefix --pickaxe-regex --pickaxe-all
    --irreversible-delete --no-color --no-ext-diff --no-textconv --ita-invisible-in-index --default-prefix`),
  ...valued(count, "-U --unified --inter-hunk-context -l"),
  ...valued(text, "-S -G -I --ignore-matching-lines --word-diff-regex --src-prefix --dst-prefix --anchored"),
  ...valued(filter, "--diff-filter"),
  ...valued(oneOf("myers", "minimal", "patience", "histogram", "default"), "--diff-algorithm"),
  ...valued(text, "--ws-error-highlight"),
  ...optional(widths, "--stat"),
  ...optional(count, "--abbrev --stat-width --stat-name-width --stat-count --stat-graph-width"),
  ...optional(percent, "-M -C -B --find-renames --find-copies --break-rewrites"),
  ...optional(oneOf("plain", "porcelain", "none"), "--word-diff"),
  ...optional(text, "--dirstat"),
  ...optional(oneOf("short", "log"), "--submodule"),
  ...optional(oneOf("none", "untracked", "dirty", "all"), "--ignore-submodules"),
];

const commitFlags = [
  ...switches(`--oneline --abbrev-commit --no-abbrev-commit --decorate --no-decorate --no-notes --root -t --no-expand-tabs --no-mailmap --full-diff
    --parents --children --left-right --cherry-mark --no-standard-notes --encode-email-headers --show-linear-break`),
  ...valued(dateFormat, "--date"),
  ...valued(oneOf("UTF-8", "utf-8", "utf8"), "--encoding"),
  ...valued(prettyFormat, "--format"),
  ...optional(prettyFormat, "--pretty"),
  ...optional(oneOf("short", "full", "auto", "no"), "--decorate"),
  ...optional(count, "--expand-tabs"),
  // How a merge is shown. `on`, `remerge` and `-m` could run a merge driver where the configuration says so.
  ...switches("-c --cc --no-diff-merges --combined-all-paths --first-parent"),
  ...valued(oneOf("off", "none", "first-parent", "1", "separate", "combined", "c", "dense-combined", "cc"), "--diff-merges"),
];

const walkFlags = [
  ...switches(`--all --branches --tags --remotes --graph --merges --no-merges --reverse --follow -i --regexp-ignore-case -E --extended-regexp
    -F --fixed-strings -P --perl-regexp --basic-regexp --invert-grep --all-match --date-order --topo-order --author-date-order --simplify-merges
    --simplify-by-decoration --full-history --dense --sparse --ancestry-path --boundary -g --walk-reflogs --source --cherry-pick --cherry
    --left-only --right-only --no-walk --remove-empty --relative-date --log-size --show-pulls --no-min-parents --no-max-parents --exclude-first-parent-only
    --clear-decorations -<number>`),
  ...valued(count, "-n --max-count --skip --min-parents --max-parents"),
  ...valued(text, "--since --after --until --before --since-as-filter --author --committer --grep --grep-reflog"),
  ...valued(text, "--glob --exclude --decorate-refs --decorate-refs-exclude"),
  ...valued(lines, "-L"),
  ...optional(text, "--branches --tags --remotes"),
  ...optional(oneOf("sorted", "unsorted"), "--no-walk"),
];

const statusFlags = [
  ...switches("-b --branch -s --short --show-stash --ahead-behind --no-ahead-behind -z --renames --no-renames --null"),
  ...optional(oneOf("v1", "v2", "1", "2"), "--porcelain"),
  ...optional(oneOf("no", "normal", "all"), "-u --untracked-files"),
  ...optional(oneOf("traditional", "no", "matching"), "--ignored"),
  ...optional(oneOf("none", "untracked", "dirty", "all"), "--ignore-submodules"),
  ...optional(percent, "-M --find-renames"),
];

const branchFlags = [
  ...switches("-a --all -r --remotes -l --list -v --verbose --show-current -i --ignore-case --no-color --no-column --no-abbrev --omit-empty"),
  ...valued(revisionValue, "--contains --no-contains --points-at"),
  ...optional(revisionValue, "--merged --no-merged"),
  ...valued(sortKey, "--sort"),
  ...valued(refFormat, "--format"),
  ...optional(count, "--abbrev"),
];

const blameFlags = [
  ...switches(`-b --root --show-stats -l -t -p --porcelain --line-porcelain -s -e --show-email -f --show-name -n --show-number -c -w --score-debug
    --first-parent --incremental --no-progress --minimal`),
  ...valued(lines, "-L"),
  ...valued(dateFormat, "--date"),
  ...valued(text, "--since --after --until --before"),
  ...valued(revisionValue, "--ignore-rev"),
  ...valued(count, "--abbrev"),
  ...optional(count, "-M -C"),
  ...optional(oneOf("myers", "minimal", "patience", "histogram", "default"), "--diff-algorithm"),
];

const lsFilesFlags = [
  ...switches(`-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -z -t -v -f --directory
    --no-empty-directory --exclude-standard --full-name --error-unmatch --deduplicate --eol --sparse`),
  ...valued(text, "-x --exclude"),
  ...valued(refFormat, "--format"),
  ...optional(count, "--abbrev"),
];

const revParseFlags = [
  ...switches(`--verify -q --quiet --symbolic --symbolic-full-name --all --branches --tags --remotes --is-inside-work-tree --is-inside-git-dir
    --is-bare-repository --is-shallow-repository --show-prefix --show-cdup --show-toplevel --revs-only --not`),
  ...optional(count, "--short"),
  ...optional(oneOf("strict", "loose"), "--abbrev-ref"),
  ...optional(oneOf("storage", "input", "output"), "--show-object-format"),
];

export const operations = ["status", "log", "diff", "show", "branch", "blame", "ls_files", "rev_parse"] as const;
export type Operation = (typeof operations)[number];

/** A Map: `__proto__` and `constructor` are no operations. */
export const flagTables: ReadonlyMap<Operation, FlagTable> = new Map<Operation, FlagTable>([
  ["status", new Map(statusFlags)],
  ["log", new Map([...diffFlags, ...commitFlags, ...walkFlags])],
  ["diff", new Map([...diffFlags, ...switches("--cached --staged --merge-base --exit-code --quiet --base --ours --theirs -0 -1 -2 -3")])],
  ["show", new Map([...diffFlags, ...commitFlags, ...walkFlags.filter(([name]) => !["-g", "--walk-reflogs", "--follow"].includes(name))])],
  ["branch", new Map(branchFlags)],
  ["blame", new Map(blameFlags)],
  ["ls_files", new Map(lsFilesFlags)],
  ["rev_parse", new Map(revParseFlags)],
]);
