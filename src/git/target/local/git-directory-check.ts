// Checks a git directory before git reads or writes there. Its author may have put a link, pipe or device in the place of a file.
// Invariant: it only reads. The box and the held directories ensure that nothing is followed or waited for afterwards.

import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { limits } from "../../../shared/limits.ts";
import { joinPath } from "../../../shared/path.ts";
import { fail, type Result } from "../../../shared/result.ts";
import type { Repository } from "../../repository.ts";

/** `read` refuses pipes and devices, on which git would wait. `write` also refuses links and sockets. */
export type GitUse = "read" | "write";

// The names at the top of a git directory that a landing writes, or beside which it makes a lock.
const written = /^(?:HEAD|index|packed-refs|logs|refs|objects|worktrees|sharedindex\..*)(?:\.lock)?$/;
const walked = ["refs", "logs"];
const listed = [
  "info",
  "objects",
  "objects/info",
  "objects/info/commit-graphs",
  "objects/pack",
  "objects/pack/multi-pack-index.d",
];
const writtenInObjects = /^(?:pack|info)$/;

/** A refusal that names the file; null if there is nothing to refuse. */
export function gitDirectoryProblem(repositories: readonly Repository[], use: GitUse): Result<never> | null {
  const roots = new Set(repositories.flatMap(({ gitDirectory, commonDirectory }) => [commonDirectory, gitDirectory]));
  for (const root of roots) {
    const problem = directoryProblem(root, root, use);
    if (problem !== null) return problem;
  }
  return null;
}

/** For the git directory of a draft: it is at `root`, and the agent sees it at `shown`. */
export function draftGitProblem(root: string, shown: string): Result<never> | null {
  return directoryProblem(root, shown, "read");
}

function directoryProblem(root: string, shown: string, use: GitUse): Result<never> | null {
  for (const found of strangeIn(root, use)) {
    const harm = use === "write" ? "nothing is written to or through one" : "nothing is read from one";
    return fail("conflict", `${joinPath(shown, found.path)} is ${found.what}, and ${harm}.`, {
      hint: "Nothing was changed. Put a plain file or directory in its place, or remove it; then call again.",
    });
  }
  return null;
}

interface Strange {
  readonly path: string;
  readonly what: string;
}

function* strangeIn(root: string, use: GitUse): Generator<Strange> {
  for (const entry of entriesOf(root)) yield* strange(root, entry.name, entry, use, written.test(entry.name));
  for (const directory of listed)
    for (const entry of entriesOf(joinPath(root, directory))) {
      const path = `${directory}/${entry.name}`;
      // A rename puts a pack in place of a file of the same name, so nothing is written through that file.
      const isWritten = directory === "objects" && writtenInObjects.test(entry.name);
      yield* strange(root, path, entry, use, isWritten);
    }
  let left: number = limits.gitEntries;
  const waiting = [...walked];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop())
    for (const entry of entriesOf(joinPath(root, directory))) {
      if ((left -= 1) < 0) return;
      const path = `${directory}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else yield* strange(root, path, entry, use, true);
    }
}

function* strange(root: string, path: string, entry: Dirent, use: GitUse, isWritten: boolean): Generator<Strange> {
  if (entry.isFile() || entry.isDirectory()) return;
  const what = kindOf(entry);
  const waits = entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice();
  // Git does not accept a HEAD link that leads anywhere else.
  const matters = (use === "write" && isWritten) || path === "HEAD";
  if (waits || (matters && !isOldSymbolicRef(root, path, entry))) yield { path, what };
}

/** Git used to write symbolic refs as links: `HEAD` to `refs/heads/main`. Git replaces such a file and never writes through it. */
function isOldSymbolicRef(root: string, path: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink() || (path !== "HEAD" && !/^refs\/remotes\/[^/]+\/HEAD$/.test(path))) return false;
  try {
    return /^refs\/(?!.*(?:^|\/)\.\.(?:\/|$))/.test(readlinkSync(joinPath(root, path)));
  } catch {
    return false;
  }
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isFIFO()) return "a named pipe";
  return entry.isSocket() ? "a socket" : "a device";
}

/** Empty if it is not a directory. The check of its parent has then reported it. */
function entriesOf(directory: string): Dirent[] {
  try {
    return lstatSync(directory).isDirectory() ? readdirSync(directory, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}
