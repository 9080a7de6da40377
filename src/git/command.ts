// Builds the git command lines that run in a box.
// Invariant: nothing in a repository can choose a program. The box is the first protection (read-only, no network, the gate's
// configuration in place of the repository's). These words are the second. Each comment says what the word prevents.

import type { PathspecMode } from "../command/rules/shell-rule.ts";
import type { Repository } from "./repository.ts";

export interface GitCommand {
  readonly git: string;
  readonly repository: Repository;
  /** The subcommand and everything after it. */
  readonly words: readonly string[];
  /**
   * True only for forms that print the configuration and do not use it. The forced settings would appear in the output, so they are
   * left out.
   */
  readonly showsOwnConfig: boolean;
}

const forcedConfig: readonly string[] = [
  "core.fsmonitor=false", // status and ls-files start a configured monitor
  "core.hooksPath=/dev/null", // status runs post-index-change
  "core.pager=cat",
  "core.editor=false",
  "core.sshCommand=false", // git may fetch a missing object
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
  const { workTree, gitDirectory, isOwnedByGate } = repository;
  return [
    git,
    "--no-pager",
    ...(showsOwnConfig ? [] : forcedConfig).flatMap((setting) => ["-c", setting]),
    // In a box, files of other users seem to belong to nobody, so git would read each of them again.
    ...(isOwnedByGate || showsOwnConfig ? [] : ["-c", "core.checkStat=minimal"]),
    // With explicit directories, git ignores a hostile core.worktree.
    `--git-dir=${gitDirectory}`,
    // A git directory alone has no work tree, whatever its configuration says. Git would use the current directory as one.
    workTree === null ? "--bare" : `--work-tree=${workTree}`,
    ...words,
  ];
}

/** These variables are added to the fixed environment of every program. Without a mode, git reads paths as patterns, its default. */
export function gitEnvironment(
  repository: Repository | null,
  pathspecs: readonly PathspecMode[] = ["literal"],
): readonly (readonly [string, string])[] {
  return [
    ...fixedEnvironment,
    ...pathspecs.map((mode) => [`GIT_${mode.toUpperCase()}_PATHSPECS`, "1"] as const),
    // The gate has read the `commondir` pointer. Git must use that result and not read the pointer again.
    ...(repository === null || repository.commonDirectory === repository.gitDirectory
      ? []
      : [["GIT_COMMON_DIR", repository.commonDirectory] as const]),
    ...(repository?.indexFile === undefined ? [] : [["GIT_INDEX_FILE", repository.indexFile] as const]),
  ];
}

const fixedEnvironment: readonly (readonly [string, string])[] = [
  ["GIT_ALLOW_PROTOCOL", "none"],
  ["GIT_ATTR_NOSYSTEM", "1"],
  ["GIT_CONFIG_GLOBAL", "/dev/null"],
  ["GIT_CONFIG_NOSYSTEM", "1"],
  ["GIT_EDITOR", "false"],
  ["GIT_GRAFT_FILE", "/nonexistent"], // so that git shows the real history
  ["GIT_NO_LAZY_FETCH", "1"],
  ["GIT_NO_REPLACE_OBJECTS", "1"], // so that git shows the real commits
  ["GIT_OPTIONAL_LOCKS", "0"], // otherwise status rewrites the index
  ["GIT_PAGER", "cat"],
  ["GIT_TERMINAL_PROMPT", "0"],
];
