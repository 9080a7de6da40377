// Which work trees a repository has, what is checked out in each, and what is under way there: read from its files.
// Invariant: a work tree counts only where it and the repository name each other.

import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { resolvePath } from "../../process/real-path.ts";
import { baseName, joinPath, parentPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { type ConfigEntry, parseConfigFile } from "../config-file.ts";
import { lastValue } from "../person-config.ts";
import { branchRef } from "../ref-name.ts";
import { findRepository, type Repository } from "../repository.ts";

export interface WorkTree extends Repository {
  readonly workTree: string;
}

const SMALL_BYTES = 1 << 20;
const PACKED_BYTES = 256 * 1024 * 1024;

/** The branch that a HEAD names; null: it is detached, or cannot be read. */
export function branchOfHead(gitDirectory: string): string | null {
  const text = readSmall(joinPath(gitDirectory, "HEAD"));
  return /^ref:[ \t]*refs\/heads\/(.+?)\s*$/.exec(text ?? "")?.[1] ?? null;
}

/** What the repository itself says, as text: what it includes is not followed. */
export function repositorySettings(repository: Repository): ConfigEntry[] {
  const own = parseConfigFile(repository.configFile?.text ?? "");
  const isSplit = own.some((entry) => entry.section === "extensions" && entry.key === "worktreeconfig");
  if (!isSplit) return own;
  return [...own, ...parseConfigFile(readSmall(joinPath(repository.gitDirectory, "config.worktree")) ?? "")];
}

/** The last value of `section.key`, as text; a key alone is "true". Null: it is not set. */
export function configValue(repository: Repository, section: string, key: string): string | null {
  return lastValue(repositorySettings(repository), section, key)?.toLowerCase() ?? null;
}

export function isTrue(value: string | null): boolean {
  return value !== null && ["true", "yes", "on", "1"].includes(value);
}

/** Every work tree whose HEAD is this branch. */
export function workTreesOn(branch: string, repository: Repository): Result<WorkTree[]> {
  const main = mainWorkTree(branch, repository);
  if (!main.ok) return main;
  const linked = namesIn(joinPath(repository.commonDirectory, "worktrees")).flatMap((name) => {
    const gitDirectory = joinPath(joinPath(repository.commonDirectory, "worktrees"), name);
    if (branchOfHead(gitDirectory) !== branch) return [];
    const found = linkedWorkTree(gitDirectory);
    return found === null ? [] : [found];
  });
  return ok([...main.value, ...linked]);
}

function mainWorkTree(branch: string, repository: Repository): Result<WorkTree[]> {
  const { commonDirectory, gitDirectory, workTree } = repository;
  const common: Repository = { ...repository, gitDirectory: commonDirectory, workTree: null };
  // Also where all of its work trees lie beside its `.git`.
  if (branchOfHead(commonDirectory) !== branch || isTrue(configValue(common, "core", "bare"))) return ok([]);
  if (workTree !== null && gitDirectory === commonDirectory) return ok([{ ...repository, workTree }]);
  if (configValue(common, "core", "worktree") !== null || isElsewhere(common))
    return fail("conflict", `${branch} is checked out in a work tree that ${commonDirectory} alone does not tell.`, {
      hint: "Give the path of that work tree as the target.",
    });
  if (baseName(commonDirectory) !== ".git") return ok([]);
  const found = findRepository(parentPath(commonDirectory)).repository;
  return ok(found.ok && found.value.gitDirectory === commonDirectory ? [found.value as WorkTree] : []);
}

// `git init --separate-git-dir` says only in the configuration that it is not bare.
function isElsewhere(common: Repository): boolean {
  return baseName(common.commonDirectory) !== ".git" && configValue(common, "core", "bare") !== null;
}

/** Null: it is gone, or does not name this repository. */
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

/** Why nothing may land on the branch right now; null: nothing is under way. */
export function operationUnderWay(
  branch: string,
  repository: Repository,
  workTrees: readonly WorkTree[],
): string | null {
  for (const { gitDirectory, workTree } of workTrees) {
    const found = underWay.find(([name]) => exists(joinPath(gitDirectory, name)));
    if (found !== undefined) return `${found[1]} is under way in ${workTree}: finish it first (${found[2]}).`;
  }
  // A rebase and a bisect leave the branch while they last, and come back to it.
  const all = namesIn(joinPath(repository.commonDirectory, "worktrees")).map((name) => `worktrees/${name}/`);
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

/** The lock of an index that somebody is changing; null: there is none. */
export function indexLock(workTrees: readonly WorkTree[]): string | null {
  return workTrees.map(({ gitDirectory }) => joinPath(gitDirectory, "index.lock")).find(exists) ?? null;
}

/** True for a branch that is only another name for one: moving it would move the other, or cut it loose. */
export function isSymbolic(branch: string, { commonDirectory }: Repository): boolean {
  const path = joinPath(commonDirectory, branchRef(branch));
  try {
    return lstatSync(path).isSymbolicLink() || readSmall(path)?.startsWith("ref:") === true;
  } catch {
    return false; // packed, or not there
  }
}

/** The commit that a branch is at, where a file of its own says so; null: it may be packed, or not be there. */
export function looseBranch(branch: string, { commonDirectory }: Repository): string | null {
  const text = readSmall(joinPath(commonDirectory, branchRef(branch)));
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n?$/.exec(text ?? "")?.[1] ?? null;
}

/** Whether there seems to be such a ref. */
export function hasRef(ref: string, { commonDirectory }: Repository): boolean {
  if (exists(joinPath(commonDirectory, ref))) return true;
  return readSmall(joinPath(commonDirectory, "packed-refs"), PACKED_BYTES)?.includes(` ${ref}\n`) === true;
}

/**
 * Git takes `anything-gABCDEF`, where there is no such ref, for the commit of that id: any commit of the repository, also
 * one that no branch leads to. SECURITY(T30): a name that is only that names nothing here.
 */
export function isOnlyDescribed(branch: string, repository: Repository): boolean {
  return /-g[0-9a-f]{4,}$/i.test(branch) && !hasRef(branchRef(branch), repository);
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // something above it is no directory
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** The text of a small plain file; an old HEAD is a link, and its text is where it leads. Null for anything else. */
export function readSmall(path: string, most = SMALL_BYTES): string | null {
  try {
    if (lstatSync(path).isSymbolicLink() && baseName(path) === "HEAD") return `ref: ${readlinkSync(path)}`;
    const found = statSync(path);
    return found.isFile() && found.size <= most ? readFileSync(path, "utf8") : null;
  } catch {
    return null;
  }
}
