// Finds the files of a directory that git tracks, from the index of the repository that contains it. It does not run git, because
// the gate does this for each call. An index that cannot be read counts as empty, so that files which should be hidden stay hidden.

import { lstatSync } from "node:fs";
import { type Capability, type FsGrant, hideMatches, keepsTracked } from "../policy/capability.ts";
import { readAtMost, withPlainFile } from "../process/plain-file.ts";
import { limits } from "../shared/limits.ts";
import { ancestorsOf, isWithin, joinPath } from "../shared/path.ts";
import { parseIndexNames, type IndexName } from "./index-names.ts";
import { findRepository } from "./repository.ts";

const SUBMODULE_DEPTH = 4;

/** Adds to each grant the tracked files that its `hide` patterns do not hide. */
export function showTracked(capability: Capability): Capability {
  if (!capability.fsGrants.some(keepsTracked)) return capability;
  return Object.freeze({
    ...capability,
    fsGrants: Object.freeze(
      capability.fsGrants.map((grant) =>
        keepsTracked(grant) ? Object.freeze({ ...grant, shown: Object.freeze(trackedAndHidden(grant)) }) : grant,
      ),
    ),
  });
}

function trackedAndHidden(grant: FsGrant): string[] {
  // The gate may have made a placeholder called .git, which is not a repository.
  const root = ancestorsOf(grant.path)
    .toReversed()
    .find((directory) => hasDotGit(directory) && findRepository(directory).repository.ok);
  if (root === undefined) return [];
  const prefix = grant.path === root ? "" : `${grant.path.slice(root.length + 1)}/`;
  const plain = { hide: grant.hide };
  return trackedBelow(root, null, SUBMODULE_DEPTH).flatMap((path) => {
    const below = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    return hideMatches(plain, below) ? [below] : [];
  });
}

function hasDotGit(directory: string): boolean {
  return lstatSync(joinPath(directory, ".git"), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Paths relative to the work tree, including submodules. SECURITY(T46): a submodule's index counts only inside its
 * superproject's own directory (`within`), where no program in a box can write.
 */
function trackedBelow(root: string, within: string | null, depth: number): string[] {
  const { repository } = findRepository(root);
  if (!repository.ok || repository.value.workTree === null || depth === 0) return [];
  const { gitDirectory, commonDirectory, configFile } = repository.value;
  if (within !== null && !isWithin(gitDirectory, joinPath(within, "modules"))) return [];
  const idBytes = /^\s*objectformat\s*=\s*"?sha256/im.test(configFile?.text ?? "") ? 32 : 20;
  return indexNames(joinPath(gitDirectory, "index"), idBytes).flatMap(({ path, isSubmodule }) =>
    isSubmodule ? trackedInside(root, path, commonDirectory, depth - 1) : [path],
  );
}

function trackedInside(root: string, path: string, within: string, depth: number): string[] {
  return trackedBelow(joinPath(root, path), within, depth).map((name) => `${path}/${name}`);
}

const known = new Map<string, { readonly identity: string; readonly names: readonly IndexName[] }>();
const MOST_KNOWN = 64;

/** Reads the file again only if its identity changed, because git replaces an index and never writes into it. */
function indexNames(path: string, idBytes: number): readonly IndexName[] {
  try {
    const names = withPlainFile(path, (descriptor, found) => {
      const identity = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
      const before = known.get(path);
      if (before?.identity === identity) return before.names;
      const bytes = readAtMost(descriptor, Number(found.size), limits.gitIndexBytes);
      const parsed = bytes === null ? [] : parseIndexNames(bytes, idBytes);
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(path, { identity, names: parsed });
      return parsed;
    });
    return names ?? [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return []; // there is no index yet, or it may not be read
  }
}
