// Every git command line is built here.
// Invariant: nothing of the repository chooses a program. The box is the first line (read-only, no network, our own
// configuration in place of the repository's); these words are the second. Each says what it is against.

import type { PathspecMode } from "../command/rules/shell-rule.ts";
import type { Repository } from "./repository.ts";

export interface GitCommand {
  readonly git: string;
  readonly repository: Repository;
  /** The subcommand and all that follows it. */
  readonly words: readonly string[];
  /** Only for forms that print the configuration and do nothing with it: ours would stand among it. */
  readonly showsOwnConfig: boolean;
}

const forcedConfig: readonly string[] = [
  "core.fsmonitor=false", // status and ls-files start it
  "core.hooksPath=/dev/null", // status runs post-index-change
  "core.pager=cat",
  "core.editor=false",
  "core.sshCommand=false", // a missing object may be fetched
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "credential.helper=",
  "diff.external=",
  "diff.submodule=short", // `diff` runs git inside the submodule, with its configuration
  "gpg.program=false",
  "gpg.ssh.program=false",
  "gpg.x509.program=false",
  "log.showSignature=false",
  "log.diffMerges=separate", // `remerge` runs merge drivers
  "protocol.allow=never",
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
  "color.ui=false",
  "column.ui=never",
];

export function gitArguments({ git, repository, words, showsOwnConfig }: GitCommand): string[] {
  const { workTree, gitDirectory, isOurs } = repository;
  return [
    git,
    "--no-pager",
    ...(showsOwnConfig ? [] : forcedConfig).flatMap((setting) => ["-c", setting]),
    // In a box, the files of other users all seem to be nobody's: git would read each of them again.
    ...(isOurs || showsOwnConfig ? [] : ["-c", "core.checkStat=minimal"]),
    // Named outright: a hostile core.worktree does not count then.
    `--git-dir=${gitDirectory}`,
    // A git directory by itself has no work tree, whatever its configuration says; git would take the current directory.
    workTree === null ? "--bare" : `--work-tree=${workTree}`,
    ...words,
  ];
}

/** On top of the fixed environment of every program. Without a mode, paths are patterns, as git takes them by itself. */
export function gitEnvironment(
  repository: Repository | null,
  pathspecs: readonly PathspecMode[] = ["literal"],
): readonly (readonly [string, string])[] {
  return [
    ...fixedEnvironment,
    ...pathspecs.map((mode) => [`GIT_${mode.toUpperCase()}_PATHSPECS`, "1"] as const),
    // The pointer was read once, by us.
    ...(repository === null || repository.commonDirectory === repository.gitDirectory
      ? []
      : [["GIT_COMMON_DIR", repository.commonDirectory] as const]),
  ];
}

const fixedEnvironment: readonly (readonly [string, string])[] = [
  ["GIT_ALLOW_PROTOCOL", "none"],
  ["GIT_ATTR_NOSYSTEM", "1"],
  ["GIT_CONFIG_GLOBAL", "/dev/null"],
  ["GIT_CONFIG_NOSYSTEM", "1"],
  ["GIT_EDITOR", "false"],
  ["GIT_GRAFT_FILE", "/nonexistent"], // what is shown is the real history
  ["GIT_NO_LAZY_FETCH", "1"],
  ["GIT_NO_REPLACE_OBJECTS", "1"], // and the real commits
  ["GIT_OPTIONAL_LOCKS", "0"], // status rewrites the index otherwise
  ["GIT_PAGER", "cat"],
  ["GIT_TERMINAL_PROMPT", "0"],
];
