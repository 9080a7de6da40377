// Finds, among names that have appeared in the project, the files that a new draft would copy.
// Invariant: it follows no link, changes nothing and its work is bounded.

import { existsSync, readdirSync } from "node:fs";
import { DirectoryHandle, nameIn } from "../process/directory-handle.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { limits } from "../shared/limits.ts";
import { ok } from "../shared/result.ts";
import { entryAt } from "../workspace/directory-scan.ts";
import { IgnoredFiles, type IgnoreSource } from "../workspace/ignored-files.ts";
import { parseWorkspacePath } from "../workspace/path.ts";
import { fileNotFound } from "../workspace/refusal.ts";

export interface UnknownName {
  readonly path: string;
  readonly isDirectory: boolean;
}

const MOST_NAMES = 10_000;

/** `isSeen`: whether the agent may know of a path. `ignoreRules`: see `rulesAround`. */
export async function newFiles(
  project: string,
  unknown: readonly UnknownName[],
  isSeen: (path: string) => boolean,
  ignoreRules: string,
): Promise<string[]> {
  const found: string[] = [];
  const handle = new DirectoryHandle(project);
  try {
    const rules = new IgnoredFiles(rulesIn(handle, ignoreRules));
    const waiting = unknown.toReversed();
    for (let looked = 0; looked < MOST_NAMES; looked += 1) {
      const next = waiting.pop();
      if (next === undefined) break;
      const path = parseWorkspacePath(next.path);
      if (!path.ok || !isSeen(next.path)) continue;
      if (!next.isDirectory) {
        if (!(await rules.has(path.value))) found.push(next.path);
      } else if (!(await rules.hasDirectory(path.value))) {
        for (const below of namesBelow(handle, next.path)) waiting.push(below);
      }
    }
    return found;
  } finally {
    handle.close();
  }
}

/** A repository inside the project is not copied. */
function namesBelow(handle: DirectoryHandle, path: string): UnknownName[] {
  const names = handle.inDirectory(path, (directory) => {
    if (existsSync(nameIn(directory, ".git"))) return [];
    return readdirSync(`/proc/self/fd/${directory}`, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isDirectory() || entry.isSymbolicLink())
      .filter(({ name }) => !name.includes("\ufffd"))
      .map((entry) => ({ path: `${path}/${entry.name}`, isDirectory: entry.isDirectory() }));
  });
  return names ?? [];
}

function rulesIn(handle: DirectoryHandle, ignoreRules: string): IgnoreSource {
  return {
    ignoreRules,
    entry: async (path) => handle.atPath(path, (found) => entryAt(found, path)),
    async read(path) {
      const bytes = handle.atPath(path, (found) => readPlainFile(found, limits.ignoreFileBytes)) ?? null;
      return bytes === null ? fileNotFound(path) : ok({ bytes });
    },
  };
}
