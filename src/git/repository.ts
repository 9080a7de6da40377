// Where a repository keeps its things: found by reading, never by running git, and never by its configuration.
// Invariant: every path here is real. What a pointer leads to is judged like any other path.

import { lstatSync, readFileSync, statSync } from "node:fs";
import { type ResolvedPath, resolvePath } from "../process/real-path.ts";
import { isWithin, joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export interface Repository {
  /** null: a bare repository. */
  readonly workTree: string | null;
  readonly gitDirectory: string;
  /** Where configuration, objects and most refs are: another directory only in a linked work tree. */
  readonly commonDirectory: string;
  /** Its configuration, by the real path of the file; null where there is none that may be seen. */
  readonly configFile: { readonly path: string; readonly text: string } | null;
  /** Owned by the user who runs this: otherwise file owners look different in a box, and git must not compare them. */
  readonly isOurs: boolean;
}

// As git: a pointer file may be long, but not this long.
const POINTER_BYTES = 1 << 20;
const CONFIG_BYTES = 4 << 20;

export interface RepositorySearch {
  readonly repository: Result<Repository>;
  /** The directories it led to, real paths: what has to be granted before any of this may be told. */
  readonly directories: readonly string[];
}

/** `root`: a real path. */
export function findRepository(root: string): RepositorySearch {
  const found = findGitDirectory(root);
  if (!found.ok) return { repository: found, directories: [root] };
  const { gitDirectory, workTree } = found.value;
  const common = readPointer(joinPath(gitDirectory, "commondir"));
  const commonDirectory = common === null ? gitDirectory : resolveFrom(gitDirectory, common).real;
  const directories = [...new Set([root, gitDirectory, commonDirectory])];
  if (!isDirectory(joinPath(commonDirectory, "objects")) || !isDirectory(gitDirectory)) return { repository: notARepository(root), directories };
  if (workTree !== null && commonDirectory !== gitDirectory && !isRegistered(workTree, gitDirectory, commonDirectory)) {
    return { repository: notRegistered(root), directories };
  }
  const configPath = resolvePath(joinPath(commonDirectory, "config")).real;
  // A configuration that lies elsewhere, behind a link, is left where it is: no box will show it.
  const config = isWithin(configPath, commonDirectory) ? readText(configPath, CONFIG_BYTES) : null;
  const repository = {
    workTree,
    gitDirectory,
    commonDirectory,
    configFile: config === null ? null : { path: configPath, text: config },
    isOurs: statSync(gitDirectory).uid === process.getuid?.(),
  };
  return { repository: ok(repository), directories };
}

/** `.git` as a directory, a pointer file or a link; or the directory itself, where it is a bare repository. */
function findGitDirectory(root: string): Result<{ gitDirectory: string; workTree: string | null }> {
  const dotGit = joinPath(root, ".git");
  const found = lstatSync(dotGit, { throwIfNoEntry: false });
  if (found === undefined) {
    const isBare = ["HEAD", "objects", "refs"].every((name) => lstatSync(joinPath(root, name), { throwIfNoEntry: false }) !== undefined);
    return isBare ? ok({ gitDirectory: root, workTree: null }) : notARepository(root);
  }
  const resolved = resolvePath(dotGit);
  if (!isFile(resolved.real)) return ok({ gitDirectory: resolved.real, workTree: root });
  const target = /^gitdir: (.+)$/s.exec(readPointer(resolved.real) ?? "")?.[1];
  if (target === undefined) return notARepository(root);
  return ok({ gitDirectory: resolveFrom(root, target).real, workTree: root });
}

/** SECURITY(T13): a checkout cannot make itself part of another repository: that one must list it. */
function isRegistered(workTree: string, gitDirectory: string, commonDirectory: string): boolean {
  if (!isWithin(gitDirectory, joinPath(commonDirectory, "worktrees"))) return true; // not a linked work tree: only shares objects
  const back = readPointer(joinPath(gitDirectory, "gitdir"));
  return back !== null && resolveFrom(gitDirectory, back).real === resolvePath(joinPath(workTree, ".git")).real;
}

function resolveFrom(directory: string, path: string): ResolvedPath {
  return resolvePath(path.startsWith("/") ? path : joinPath(directory, path));
}

/** A one-line file; blank lines at its end do not count, however many. */
function readPointer(path: string): string | null {
  return readText(path, POINTER_BYTES)?.replace(/[\r\n]+$/, "") ?? null;
}

function readText(path: string, maxBytes: number): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > maxBytes) return null;
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // not readable for us: as if it were not there
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function notARepository(root: string): Result<never> {
  return fail("invalid_args", `repo: ${JSON.stringify(root)} is not a git repository.`, {
    hint: "Give the directory that holds .git, or a bare repository.",
  });
}

function notRegistered(root: string): Result<never> {
  return fail("invalid_args", `repo: ${JSON.stringify(root)} points into a repository that does not know it as a work tree.`, {
    hint: "Run `git worktree repair` in the main repository.",
  });
}
