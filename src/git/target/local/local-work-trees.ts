// Finds a repository's work trees, what is checked out in each, and which operation is in progress there. It only reads files.
// Invariant: a work tree counts only if it and the repository name each other.

import { lstatSync } from "node:fs";
import { namesIn } from "../../../process/names-in.ts";
import { resolvePath } from "../../../process/real-path.ts";
import { baseName, joinPath, parentPath } from "../../../shared/path.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { type ConfigEntry, parseConfigFile, writeConfigEntry } from "../../config-file.ts";
import { lastValue } from "../../person-config.ts";
import { branchRef } from "../../ref-name.ts";
import { findRepository, type Repository } from "../../repository.ts";
import { readSmall } from "./local-refs.ts";

export interface WorkTree extends Repository {
  readonly workTree: string;
}

/** The branch that HEAD names; null if HEAD is detached or cannot be read. */
export function branchOfHead(gitDirectory: string): string | null {
  const text = readSmall(joinPath(gitDirectory, "HEAD"));
  return /^ref:[ \t]*refs\/heads\/(.+?)\s*$/.exec(text ?? "")?.[1] ?? null;
}

/** The repository's own settings. Includes are not followed. */
export function repositorySettings(repository: Repository): ConfigEntry[] {
  const own = parseConfigFile(repository.configFile?.text ?? "");
  return [...own, ...ownSettings(repository)];
}

/** The same settings as the text of one configuration file. */
export function configText(repository: Repository): string {
  return repositorySettings(repository).map(writeConfigEntry).join("");
}

/** The settings of this work tree alone. */
function ownSettings({ configFile, gitDirectory }: Repository): ConfigEntry[] {
  const isSplit = parseConfigFile(configFile?.text ?? "").some(
    (entry) => entry.section === "extensions" && entry.key === "worktreeconfig",
  );
  return isSplit ? parseConfigFile(readSmall(joinPath(gitDirectory, "config.worktree")) ?? "") : [];
}

/** The last value of `section.key`, in lower case; "true" for a key without a value. Null if it is not set. */
export function configValue(repository: Repository, section: string, key: string): string | null {
  return lastValue(repositorySettings(repository), section, key)?.toLowerCase() ?? null;
}

export function isTrue(value: string | null): boolean {
  return value !== null && ["true", "yes", "on", "1"].includes(value);
}

/** A clone that leaves some objects at the remote. */
export function isPartialClone({ configFile }: Repository): boolean {
  return parseConfigFile(configFile?.text ?? "").some(
    ({ section, key }) =>
      (section === "extensions" && key === "partialclone") || (section === "remote" && key === "promisor"),
  );
}

/** All work trees whose HEAD is this branch. */
export function workTreesOn(branch: string, repository: Repository): Result<WorkTree[]> {
  const main = mainWorkTree(branch, repository);
  if (!main.ok) return main;
  const found = [...main.value];
  for (const name of namesIn(joinPath(repository.commonDirectory, "worktrees")).sort()) {
    const gitDirectory = joinPath(joinPath(repository.commonDirectory, "worktrees"), name);
    if (branchOfHead(gitDirectory) !== branch) continue;
    const linked = linkedWorkTree(gitDirectory);
    if (linked === null) continue;
    // The shared configuration does not describe a linked work tree.
    const elsewhere = configuredWorkTree(gitDirectory, ownSettings(linked));
    if (elsewhere !== null && elsewhere !== linked.workTree) return notThere(branch, linked.workTree, elsewhere);
    found.push(linked);
  }
  return ok(found);
}

function mainWorkTree(branch: string, repository: Repository): Result<WorkTree[]> {
  const { commonDirectory, gitDirectory, workTree } = repository;
  const common: Repository = { ...repository, gitDirectory: commonDirectory, workTree: null };
  // A repository can also be bare if its work trees lie beside its `.git`.
  if (branchOfHead(commonDirectory) !== branch || isTrue(configValue(common, "core", "bare"))) return ok([]);
  const configured = configuredWorkTree(commonDirectory, repositorySettings(common));
  if (workTree !== null && gitDirectory === commonDirectory)
    return configured === null || configured === workTree
      ? ok([{ ...repository, workTree }])
      : notThere(branch, workTree, configured);
  if (configured === null && isElsewhere(common))
    return fail("conflict", `${branch} is checked out in a work tree that ${commonDirectory} alone does not tell.`, {
      hint: "Give the path of that work tree as the target.",
    });
  if (configured === null && baseName(commonDirectory) !== ".git") return ok([]);
  const directory = configured ?? parentPath(commonDirectory);
  const found = findRepository(directory).repository;
  if (found.ok && found.value.gitDirectory === commonDirectory && found.value.workTree === directory)
    return ok([{ ...found.value, workTree: directory }]);
  return configured === null ? ok([]) : notThere(branch, commonDirectory, configured);
}

/** The real path of `core.worktree`, which the person's own git uses; null if it is not set. */
function configuredWorkTree(gitDirectory: string, settings: readonly ConfigEntry[]): string | null {
  const written = lastValue(settings, "core", "worktree");
  if (written === null) return null;
  return resolvePath(written.startsWith("/") ? written : joinPath(gitDirectory, written)).real;
}

function notThere(branch: string, directory: string, configured: string): Result<never> {
  return fail("conflict", `${branch} of ${directory} is checked out in ${configured}: its core.worktree says so.`, {
    hint: "Nothing was changed. Name another branch; or give that directory a .git file that leads to the repository, and name it as the target.",
  });
}

// After `git init --separate-git-dir`, only the configuration says that the repository is not bare.
function isElsewhere(common: Repository): boolean {
  return baseName(common.commonDirectory) !== ".git" && configValue(common, "core", "bare") !== null;
}

/** Null if the work tree is gone, or does not name this repository. */
function linkedWorkTree(gitDirectory: string): WorkTree | null {
  const pointer = readSmall(joinPath(gitDirectory, "gitdir"))?.replace(/[\r\n]+$/, "");
  if (pointer === undefined || pointer === "" || pointer.includes("\0")) return null;
  const dotGit = resolvePath(pointer.startsWith("/") ? pointer : joinPath(gitDirectory, pointer)).real;
  const found = findRepository(parentPath(dotGit)).repository;
  return found.ok && found.value.workTree !== null && found.value.gitDirectory === gitDirectory
    ? (found.value as WorkTree)
    : null;
}

const underWay: readonly (readonly [name: string, what: string, finish: string])[] = [
  ["MERGE_HEAD", "a merge", "git commit, or git merge --abort"],
  ["rebase-merge", "a rebase", "git rebase --continue, or --abort"],
  ["rebase-apply/applying", "an am", "git am --continue, or --abort"],
  ["rebase-apply", "a rebase", "git rebase --continue, or --abort"],
  ["CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue, or --abort"],
  ["REVERT_HEAD", "a revert", "git revert --continue, or --abort"],
  ["sequencer", "a cherry-pick or a revert", "git cherry-pick --continue, or --abort"],
  ["BISECT_LOG", "a bisect", "git bisect reset"],
];

/** Why nothing may land on the branch right now; null if no operation is in progress. */
export function operationUnderWay(
  branch: string,
  repository: Repository,
  workTrees: readonly WorkTree[],
): string | null {
  for (const { gitDirectory, workTree } of workTrees) {
    const found = underWay.find(([name]) => exists(joinPath(gitDirectory, name)));
    if (found !== undefined) return `${found[1]} is under way in ${workTree}: finish it first (${found[2]}).`;
  }
  // A rebase or a bisect leaves the branch while it runs, and returns to it.
  const all = namesIn(joinPath(repository.commonDirectory, "worktrees"))
    .sort()
    .map((name) => `worktrees/${name}/`);
  for (const at of ["", ...all]) {
    for (const file of [
      "rebase-merge/head-name",
      "rebase-merge/update-refs",
      "rebase-apply/head-name",
      "BISECT_START",
    ]) {
      const lines = readSmall(joinPath(repository.commonDirectory, `${at}${file}`))?.split("\n") ?? [];
      if (lines.includes(branchRef(branch)) || (file === "BISECT_START" && lines[0] === branch))
        return `a ${file === "BISECT_START" ? "bisect" : "rebase"} of ${branch} is under way: finish it first, or abort it.`;
    }
  }
  return null;
}

/** The lock of an index that some process is changing; null if there is none. */
export function indexLock(workTrees: readonly WorkTree[]): string | null {
  return workTrees.map(({ gitDirectory }) => joinPath(gitDirectory, "index.lock")).find(exists) ?? null;
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a parent is not a directory
  }
}
