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
  // Something called .git need not be a repository.
  const root = ancestorsOf(grant.path)
    .toReversed()
    .find((directory) => hasDotGit(directory) && findRepository(directory).repository.ok);
  if (root === undefined) return [];
  const prefix = grant.path === root ? "" : `${grant.path.slice(root.length + 1)}/`;
  return hiddenTracked({ root, at: "", within: null, depth: SUBMODULE_DEPTH }, { hide: grant.hide, prefix });
}

function hasDotGit(directory: string): boolean {
  return lstatSync(joinPath(directory, ".git"), { throwIfNoEntry: false }) !== undefined;
}

/** A work tree: that of the outermost repository, or of a submodule. */
interface WorkTree {
  readonly root: string;
  /** Its path in the outermost work tree: "" or, for example, "vendor/library/". */
  readonly at: string;
  /** The git directory of the superproject. */
  readonly within: string | null;
  readonly depth: number;
}

interface Asked {
  readonly hide: readonly string[];
  /** The path of the grant in the outermost work tree, like `at`. */
  readonly prefix: string;
}

/**
 * Tracked files, including those of submodules, that `hide` matches; relative to the grant. SECURITY(T46): a submodule's index counts
 * only inside its superproject's own directory (`within`), where no program in a box can write.
 */
function hiddenTracked({ root, at, within, depth }: WorkTree, asked: Asked): string[] {
  const { repository } = findRepository(root);
  if (!repository.ok || repository.value.workTree === null || depth === 0) return [];
  const { gitDirectory, commonDirectory, configFile } = repository.value;
  if (within !== null && !isWithin(gitDirectory, joinPath(within, "modules"))) return [];
  const idBytes = /^\s*objectformat\s*=\s*"?sha256/im.test(configFile?.text ?? "") ? 32 : 20;
  const { hidden, submodules } = matchNames(indexNames(joinPath(gitDirectory, "index"), idBytes), at, asked);
  const inside = submodules.flatMap((path) =>
    hiddenTracked(
      { root: joinPath(root, path), at: `${at}${path}/`, within: commonDirectory, depth: depth - 1 },
      asked,
    ),
  );
  return [...hidden, ...inside];
}

interface MatchedNames {
  readonly hidden: readonly string[];
  readonly submodules: readonly string[];
}

const matched = new WeakMap<readonly IndexName[], Map<string, MatchedNames>>();

/** Matching every name takes longer than a whole call in a large repository, so it is done once for each state of an index. */
function matchNames(names: readonly IndexName[], at: string, { hide, prefix }: Asked): MatchedNames {
  const answers = matched.get(names) ?? new Map<string, MatchedNames>();
  const key = JSON.stringify([at, prefix, hide]);
  const before = answers.get(key);
  if (before !== undefined) return before;
  const isHidden = (below: string) => hideMatches({ hide }, below);
  const hidden = names
    .filter(({ path, isSubmodule }) => !isSubmodule && `${at}${path}`.startsWith(prefix))
    .map(({ path }) => `${at}${path}`.slice(prefix.length))
    .filter(isHidden);
  const submodules = names.filter(({ isSubmodule }) => isSubmodule).map(({ path }) => path);
  if (answers.size >= MOST_KNOWN) answers.clear();
  answers.set(key, { hidden, submodules });
  matched.set(names, answers);
  return { hidden, submodules };
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
