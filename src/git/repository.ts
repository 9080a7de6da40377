// Finds a repository's directories and files. It reads files only: it never runs git, and finds nothing by the configuration.
// Invariant: every path here is a real path. The target of a pointer file is checked like any other path. A pointer that git might
// read in another way than the gate is refused.

import { lstatSync, type Stats, statSync } from "node:fs";
import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";
import { baseName, isWithin, joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { parseConfigFile } from "./config-file.ts";
import { lastValue } from "./person-config.ts";

export interface Repository {
  /** Null for a bare repository. */
  readonly workTree: string | null;
  readonly gitDirectory: string;
  /** Holds the configuration, objects and most refs. Differs from `gitDirectory` only in a linked work tree. */
  readonly commonDirectory: string;
  /** Its configuration, with the real path of the file; null if there is none. */
  readonly configFile: { readonly path: string; readonly text: string } | null;
  /**
   * Whether the files belong to the user and group that run the gate. If not, the owners look different in a box, and git must not
   * compare them.
   */
  readonly isOwnedByGate: boolean;
  /** In place of the git directory's own. */
  readonly indexFile?: string;
}

// Git also limits the length of a pointer file.
const POINTER_BYTES = 1 << 20;
const CONFIG_BYTES = 1 << 20;

export interface RepositorySearch {
  readonly repository: Result<Repository>;
  /** Real paths of all directories that the search led to. Each must be granted before the caller may learn anything of the result. */
  readonly directories: readonly string[];
}

/** `root` is a real path. */
export function findRepository(root: string): RepositorySearch {
  const found = findGitDirectory(root);
  if (!found.ok) return { repository: found, directories: [root] };
  const { gitDirectory, workTree } = found.value;
  const common = readPointer(joinPath(gitDirectory, "commondir"));
  if (common === "") return { repository: unreadable(root, "commondir"), directories: [root, gitDirectory] };
  const commonDirectory = common === null ? gitDirectory : resolveFrom(gitDirectory, common);
  const config = resolvePath(joinPath(commonDirectory, "config"));
  // The common directory comes first, because a grant on it covers everything in it.
  const elsewhere = [...objectDirectories(commonDirectory), config.real].filter(
    (path) => !isWithin(path, commonDirectory),
  );
  const directories = [root, commonDirectory, gitDirectory, ...elsewhere];
  return { repository: describeRepository(), directories: [...new Set(directories)] };

  function describeRepository(): Result<Repository> {
    if (!isDirectory(joinPath(commonDirectory, "objects")) || !isDirectory(gitDirectory)) return notARepository(root);
    if (commonDirectory !== gitDirectory && !isRegistered(workTree, gitDirectory, commonDirectory))
      return notRegistered(root, commonDirectory);
    // SECURITY(T20): git would read this file if the gate did not mount its own in its place. That needs a plain file to mount on.
    // A link that leads nowhere here may lead somewhere in the box.
    const text = readText(config.real, CONFIG_BYTES);
    if (text === null && lstatOrNull(joinPath(commonDirectory, "config"), lstatSync) !== null)
      return unreadable(root, "config");
    const found: Repository = {
      workTree,
      gitDirectory,
      commonDirectory,
      configFile: text === null ? null : { path: config.real, text },
      isOwnedByGate: [gitDirectory, joinPath(gitDirectory, "index"), ...(workTree === null ? [] : [workTree])].every(
        hasGateOwner,
      ),
    };
    return workTreeClaim(found) === "another" ? notRegistered(root, gitDirectory) : ok(found);
  }
}

/** Accepts `.git` as a directory, a pointer file or a link; or `root` itself, if it is a bare repository. */
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
 * SECURITY(T20): a directory cannot make itself part of another repository, bare or not: that repository must list it as a work
 * tree.
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
 * SECURITY(T20): whether the repository claims this work tree. Anybody can write a `.git` file that leads to a repository. A
 * `.git` directory belongs to the directory that contains it. Any other git directory names its work tree in `core.worktree`, or
 * does not tell.
 */
export function workTreeClaim(repository: Repository): "own" | "another" | "unknown" {
  const { workTree, gitDirectory, commonDirectory, configFile } = repository;
  if (workTree === null || gitDirectory === joinPath(workTree, ".git") || gitDirectory !== commonDirectory)
    return "own";
  const configured = lastValue(parseConfigFile(configFile?.text ?? ""), "core", "worktree");
  if (configured !== null) return resolveFrom(gitDirectory, configured) === workTree ? "own" : "another";
  return baseName(gitDirectory) === ".git" ? "another" : "unknown";
}

function isDirectlyIn(path: string, directory: string): boolean {
  return path !== directory && joinPath(directory, baseName(path)) === path;
}

/** The directories of its objects. They may be behind a link, or borrowed from other repositories (`clone --shared`). */
export function objectDirectories(commonDirectory: string): string[] {
  const objects = resolvePath(joinPath(commonDirectory, "objects")).real;
  const alternates = readText(resolvePath(joinPath(objects, "info/alternates")).real, POINTER_BYTES) ?? "";
  const lent = alternates.split("\n").filter((line) => line !== "" && !/^[#"]|\0/.test(line));
  return [objects, ...lent.map((path) => resolveFrom(objects, path))];
}

function resolveFrom(directory: string, path: string): string {
  return resolvePath(path.startsWith("/") ? path : joinPath(directory, path)).real;
}

/** Reads a one-line file without trailing blank lines. Null if there is no file. Empty if it cannot be read as git would read it. */
function readPointer(path: string): string | null {
  if (lstatOrNull(path, lstatSync) === null) return null;
  const text = readText(path, POINTER_BYTES)?.replace(/[\r\n]+$/, "");
  // SECURITY(T20): git ends the path at a NUL, and accepts longer pointers than the gate does.
  return text === undefined || text.includes("\0") ? "" : text;
}

/** The text of a plain file at its real path; null for anything else. */
function readText(path: string, maxBytes: number): string | null {
  return readPlainFile(path, maxBytes)?.toString("utf8") ?? null;
}

function isDirectory(path: string): boolean {
  return lstatOrNull(path, statSync)?.isDirectory() === true;
}

function hasGateOwner(path: string): boolean {
  const found = lstatOrNull(path, lstatSync);
  return found === null || (found.uid === process.getuid?.() && found.gid === process.getgid?.());
}

/** Null if the path does not exist, or stat fails. */
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
