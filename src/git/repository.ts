// Where a repository keeps its things: found by reading, never by running git, and never by its configuration.
// Invariant: every path here is real. What a pointer leads to is judged like any other path; a pointer that git might
// read in another way than we do is refused.

import { lstatSync, type Stats, statSync } from "node:fs";
import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";
import { baseName, isWithin, joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { parseConfigFile } from "./config-file.ts";
import { lastValue } from "./person-config.ts";

export interface Repository {
  /** null: a bare repository. */
  readonly workTree: string | null;
  readonly gitDirectory: string;
  /** Where configuration, objects and most refs are: another directory only in a linked work tree. */
  readonly commonDirectory: string;
  /** Its configuration, by the real path of the file; null where there is none. */
  readonly configFile: { readonly path: string; readonly text: string } | null;
  /** Of the user and group who run this: otherwise file owners look different in a box, and git must not compare them. */
  readonly isOurs: boolean;
}

// As git: a pointer file may be long, but not this long.
const POINTER_BYTES = 1 << 20;
const CONFIG_BYTES = 1 << 20;

export interface RepositorySearch {
  readonly repository: Result<Repository>;
  /** What it led to, real paths: all of it has to be granted before any of this may be told. */
  readonly directories: readonly string[];
}

/** `root`: a real path. */
export function findRepository(root: string): RepositorySearch {
  const found = findGitDirectory(root);
  if (!found.ok) return { repository: found, directories: [root] };
  const { gitDirectory, workTree } = found.value;
  const common = readPointer(joinPath(gitDirectory, "commondir"));
  if (common === "") return { repository: unreadable(root, "commondir"), directories: [root, gitDirectory] };
  const commonDirectory = common === null ? gitDirectory : resolveFrom(gitDirectory, common);
  const config = resolvePath(joinPath(commonDirectory, "config"));
  // The common directory first: a grant on it is a grant on what lies in it.
  const elsewhere = [...objectDirectories(commonDirectory), config.real].filter(
    (path) => !isWithin(path, commonDirectory),
  );
  const directories = [root, commonDirectory, gitDirectory, ...elsewhere];
  return { repository: describeRepository(), directories: [...new Set(directories)] };

  function describeRepository(): Result<Repository> {
    if (!isDirectory(joinPath(commonDirectory, "objects")) || !isDirectory(gitDirectory)) return notARepository(root);
    if (commonDirectory !== gitDirectory && !isRegistered(workTree, gitDirectory, commonDirectory))
      return notRegistered(root, commonDirectory);
    // SECURITY(T20): git would read it if we did not put ours in its place, and we cannot where there is no plain file.
    // A link that leads nowhere here may lead somewhere in the box.
    const text = readText(config.real, CONFIG_BYTES);
    if (text === null && lstatOrNull(joinPath(commonDirectory, "config"), lstatSync) !== null)
      return unreadable(root, "config");
    const found: Repository = {
      workTree,
      gitDirectory,
      commonDirectory,
      configFile: text === null ? null : { path: config.real, text },
      isOurs: [gitDirectory, joinPath(gitDirectory, "index"), ...(workTree === null ? [] : [workTree])].every(isOurs),
    };
    return workTreeClaim(found) === "another" ? notRegistered(root, gitDirectory) : ok(found);
  }
}

/** `.git` as a directory, a pointer file or a link; or the directory itself, where it is a bare repository. */
function findGitDirectory(root: string): Result<{ gitDirectory: string; workTree: string | null }> {
  const dotGit = joinPath(root, ".git");
  if (lstatOrNull(dotGit, lstatSync) === null) {
    const isBare = ["HEAD", "objects", "refs"].every((name) => lstatOrNull(joinPath(root, name), lstatSync) !== null);
    return isBare ? ok({ gitDirectory: root, workTree: null }) : notARepository(root);
  }
  const resolved = resolvePath(dotGit);
  if (isDirectory(resolved.real)) return ok({ gitDirectory: resolved.real, workTree: root });
  const target = /^gitdir: (.+)$/s.exec(readPointer(resolved.real) ?? "")?.[1];
  return target === undefined ? notARepository(root) : ok({ gitDirectory: resolveFrom(root, target), workTree: root });
}

/**
 * SECURITY(T20): nothing makes itself part of another repository, bare or not: that one must list it as its work tree.
 * Git itself would follow any `commondir`, and read and write there under this name.
 */
function isRegistered(workTree: string | null, gitDirectory: string, commonDirectory: string): boolean {
  if (workTree === null || !isDirectlyIn(gitDirectory, joinPath(commonDirectory, "worktrees"))) return false;
  const back = readPointer(joinPath(gitDirectory, "gitdir"));
  return (
    back !== null && back !== "" && resolveFrom(gitDirectory, back) === resolvePath(joinPath(workTree, ".git")).real
  );
}

/**
 * SECURITY(T20): whether the repository says that this is its work tree. Anybody can write a `.git` that leads to a repository;
 * a directory `.git` is of the one that holds it, any other says by `core.worktree` whose it is, or does not tell.
 */
export function workTreeClaim(repository: Repository): "own" | "another" | "untold" {
  const { workTree, gitDirectory, commonDirectory, configFile } = repository;
  if (workTree === null || gitDirectory === joinPath(workTree, ".git") || gitDirectory !== commonDirectory)
    return "own";
  const configured = lastValue(parseConfigFile(configFile?.text ?? ""), "core", "worktree");
  if (configured !== null) return resolveFrom(gitDirectory, configured) === workTree ? "own" : "another";
  return baseName(gitDirectory) === ".git" ? "another" : "untold";
}

function isDirectlyIn(path: string, directory: string): boolean {
  return path !== directory && joinPath(directory, baseName(path)) === path;
}

/** Where its objects are: perhaps behind a link, perhaps lent by other repositories (`clone --shared`). */
export function objectDirectories(commonDirectory: string): string[] {
  const objects = resolvePath(joinPath(commonDirectory, "objects")).real;
  const alternates = readText(resolvePath(joinPath(objects, "info/alternates")).real, POINTER_BYTES) ?? "";
  const lent = alternates.split("\n").filter((line) => line !== "" && !/^[#"]|\0/.test(line));
  return [objects, ...lent.map((path) => resolveFrom(objects, path))];
}

function resolveFrom(directory: string, path: string): string {
  return resolvePath(path.startsWith("/") ? path : joinPath(directory, path)).real;
}

/** A one-line file; blank lines at its end do not count, however many. null: there is none. Empty: it cannot be read as git would. */
function readPointer(path: string): string | null {
  if (lstatOrNull(path, lstatSync) === null) return null;
  const text = readText(path, POINTER_BYTES)?.replace(/[\r\n]+$/, "");
  // SECURITY(T20): git ends the path at a NUL, and reads pointers that are longer than ours may be.
  return text === undefined || text.includes("\0") ? "" : text;
}

/** The text of a plain file at its real path; null for anything else. */
function readText(path: string, maxBytes: number): string | null {
  return readPlainFile(path, maxBytes)?.toString("utf8") ?? null;
}

function isDirectory(path: string): boolean {
  return lstatOrNull(path, statSync)?.isDirectory() === true;
}

function isOurs(path: string): boolean {
  const found = lstatOrNull(path, lstatSync);
  return found === null || (found.uid === process.getuid?.() && found.gid === process.getgid?.());
}

/** null: it is not there, or cannot be looked at. */
function lstatOrNull(path: string, stat: (path: string) => Stats): Stats | null {
  try {
    return stat(path);
  } catch {
    return null;
  }
}

function notARepository(root: string): Result<never> {
  return fail("invalid_args", `repo: ${JSON.stringify(root)} is not a git repository.`, {
    hint: "Give the directory that holds .git, or a bare repository.",
  });
}

function unreadable(root: string, name: string): Result<never> {
  return fail(
    "invalid_args",
    `repo: the ${name} file of ${JSON.stringify(root)} is not a readable file of at most 1 MB.`,
    {
      hint: `Mend it: git itself must be able to read .git/${name}.`,
    },
  );
}

function notRegistered(root: string, commonDirectory: string): Result<never> {
  return fail(
    "invalid_args",
    `repo: ${JSON.stringify(root)} points into another repository, ${JSON.stringify(commonDirectory)}, that does not know it as a work tree.`,
    {
      hint: "Name that repository itself. If this is a work tree of it that was moved, run `git worktree repair` there.",
    },
  );
}
