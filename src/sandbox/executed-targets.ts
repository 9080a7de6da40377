// Finds what others execute under another name: the real paths to which links and pointers lead that have names that other programs
// execute later, such as a `.vscode` that is a link, or a `.git` file. What is written there is executed as well.

import { lstatSync, readlinkSync } from "node:fs";
import { executedEntry } from "../policy/executed-later.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";
import { ancestorsOf, baseName, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { type DirectoryIndex, subdirectories } from "./directory-index.ts";

const POINTER_BYTES = 8191;
const LEVELS_ABOVE = 3;
/** The parts of a .git directory that git executes or reads settings from. The rest is objects, which are many. */
const repositoryParts = ["hooks", "info", "config"];

/**
 * Walks all of these directories, because git runs a repository's hooks wherever the repository lies. Returns only paths inside them, and
 * none of them themselves: a whole grant cannot be closed.
 */
export function executedTargets(index: DirectoryIndex, directories: readonly string[]): string[] {
  const targets = new Set<string>();
  const add = (real: string): void => {
    const isInside = directories.some((directory) => isWithin(real, directory));
    if (isInside && !directories.some((directory) => isWithin(directory, real))) targets.add(real);
  };
  for (const directory of directories) findIn(index, directory, add);
  return [...targets];
}

function findIn(index: DirectoryIndex, root: string, add: (real: string) => void): void {
  const follow = (path: string) => add(resolvePath(path).real);
  /** SECURITY(T08): an editor that reads `.vscode` follows the links in it, so what they lead to counts as well. */
  const followInside = (directory: string, parts = baseName(directory) === ".git" ? repositoryParts : [""]) => {
    for (const part of parts) {
      const top = part === "" ? directory : joinPath(directory, part);
      if (isLink(top)) follow(top);
      index.walk(top, {
        directory(inner, entries) {
          for (const { name, kind } of entries) if (kind === "link") follow(joinPath(inner, name));
          return subdirectories(entries);
        },
        closed: () => undefined,
      });
    }
  };
  const look = (path: string, kind: "file" | "directory" | "link") => {
    if (kind === "link") follow(path);
    else if (kind === "directory") followInside(path);
    if (baseName(path) !== ".git") return;
    for (const target of gitDirectories(path)) {
      add(target);
      followInside(target, repositoryParts);
    }
  };
  // SECURITY(T08): checks every directory, not only the top, and the directories above, which may have such links too.
  index.walk(root, {
    directory(directory, entries) {
      const isExecuted = (name: string) => executedEntry(directory, name) !== null;
      for (const { name, kind } of entries) if (isExecuted(name)) look(joinPath(directory, name), kind);
      return subdirectories(entries).filter((name) => !isExecuted(name));
    },
    closed: () => undefined,
  });
  for (const directory of directoriesAbove(root)) {
    index.walk(directory, {
      directory(_, entries) {
        for (const { name, kind } of entries)
          if (executedEntry(directory, name) !== null) look(joinPath(directory, name), kind);
        return [];
      },
      closed: () => undefined,
    });
  }
}

/** The directories from the parent of `root` up to the top of its repository, or a few levels if it lies in no repository. */
function directoriesAbove(root: string): string[] {
  const above = ancestorsOf(parentPath(root)).toReversed();
  const top = above.findIndex(
    (directory) => lstatSync(joinPath(directory, ".git"), { throwIfNoEntry: false }) !== undefined,
  );
  return above.slice(0, top < 0 ? LEVELS_ABOVE : top + 1);
}

/** The directory that a `.git` file or link leads to, and the common directory named there. Both may have other names than `.git`. */
function gitDirectories(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  let directory = resolvePath(path).real;
  if (found.isFile()) {
    const target = /^gitdir: (.+?)\n*$/.exec(readSmallFile(path))?.[1];
    if (target === undefined) return [];
    directory = resolvePath(target.startsWith("/") ? target : joinPath(parentPath(path), target)).real;
  }
  const common = readSmallFile(joinPath(directory, "commondir")).trim();
  const commonDirectory =
    common === "" ? [] : [resolvePath(common.startsWith("/") ? common : joinPath(directory, common)).real];
  return [directory, ...commonDirectory].filter((candidate) => candidate !== path);
}

/** SECURITY(T37): somebody may replace the file by a pipe or a link at this moment. */
function readSmallFile(path: string): string {
  return readPlainFile(path, POINTER_BYTES)?.toString("utf8") ?? "";
}

function isLink(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
