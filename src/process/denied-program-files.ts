// Finds the files of programs that rules deny whatever their arguments. No box of the agent may contain these files.
// A name matches the programs of that name in the program directories. A path matches that file, or the files of its pattern.
// Links are followed: a rule that denies `awk` denies the file that `awk` leads to, and with it every other name of that file.
// Invariant: a link in a tree of the agent hides nothing outside that tree. Otherwise anybody who writes there could hide a library.

import { lstatSync, type Stats } from "node:fs";
import { type DeniedProgram, deniedPrograms } from "../policy/denied-program.ts";
import { literalGlobPath } from "../policy/policy.ts";
import type { Rule } from "../policy/rule.ts";
import { isLiteral, matchesWord } from "../policy/word-pattern.ts";
import { coversPath, type Glob, pathNames } from "../shared/glob.ts";
import { baseName, isWithin, joinPath } from "../shared/path.ts";
import { programDirectories } from "./find-on-path.ts";
import { namesIn } from "./names-in.ts";
import { resolvePath } from "./real-path.ts";

/** Directories of programs that are not on the search path. Git's own programs can do whatever git can. */
const systemDirectories = [
  "/usr/local/sbin",
  "/usr/sbin",
  "/sbin",
  "/usr/games",
  "/usr/local/games",
  "/snap/bin",
  "/usr/lib/git-core",
  "/usr/libexec/git-core",
];
/** Directories of programs inside trees of people and projects. */
const directoriesInTrees = [
  "",
  "bin",
  "sbin",
  ".local/bin",
  ".cargo/bin",
  "go/bin",
  "node_modules/.bin",
  ".venv/bin",
  "venv/bin",
];
/** Version managers keep programs in a directory for each version. */
const directoriesOfVersions = [
  "*/bin",
  "versions/*/bin",
  "versions/*/*/bin",
  "toolchains/*/bin",
  "installs/*/*/bin",
  "node-versions/*/installation/bin",
  "tools/image/*/*/bin",
];
/** Files that act as many programs, depending on the name they are started by. Without them, almost no program would be left. */
const multiCall: ReadonlySet<string> = new Set(["busybox", "toybox", "coreutils"]);
const MOST_WALKED = 20_000;
const MOST_FOUND = 500;

interface SearchedDirectory {
  readonly path: string;
  /** Links from here count only if they stay in this tree; null if they count wherever they lead. */
  readonly tree: string | null;
}

/**
 * Real paths, sorted. `granted` are the trees that the agent sees. `changeable` are those that it can change. `person` are the directories
 * of the person's PATH.
 */
export function deniedProgramFiles(
  rules: readonly Rule[],
  granted: readonly string[],
  changeable: readonly string[] = [],
  person: readonly string[] = [],
): readonly string[] {
  const denied = deniedPrograms(rules);
  if (denied.length === 0) return [];
  const changed = changeable.map((path) => resolvePath(path).real);
  const directories = existing([...programDirectories(), ...systemDirectories, ...person], changed);
  const known = new Set(directories.map(({ path }) => path));
  for (const path of granted) {
    const tree = resolvePath(path).real;
    for (const path of directoriesBelow(tree)) {
      const { real, exists } = resolvePath(path);
      // SECURITY(T40): the directory itself may be a link, too.
      if (!exists || known.has(real) || !isWithin(real, tree)) continue;
      known.add(real);
      directories.push({ path: real, tree });
    }
  }
  const found = denied.flatMap((program) =>
    program.kind === "name" ? byName(program, directories) : byPath(program.glob, changed),
  );
  return [...new Set([...found, ...otherNames(found, [...known])])].sort();
}

/** The directories of programs in a tree, also of version managers that keep one for each version. */
function directoriesBelow(tree: string): string[] {
  const plain = directoriesInTrees.map((directory) => (directory === "" ? tree : joinPath(tree, directory)));
  return [...plain, ...directoriesOfVersions.flatMap((pattern) => expandStars(tree, pattern.split("/")))];
}

function expandStars(directory: string, [first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return [directory];
  const names = first === "*" ? namesIn(directory).slice(0, MOST_FOUND) : [first];
  return names
    .map((name) => joinPath(directory, name))
    .filter((path) => rest.length === 0 || lstatAt(path)?.isDirectory() === true)
    .flatMap((path) => expandStars(path, rest));
}

function byName({ pattern }: DeniedProgram & { kind: "name" }, directories: readonly SearchedDirectory[]): string[] {
  const candidates = directories.flatMap(({ path, tree }) =>
    (isLiteral(pattern) ? [pattern[0]] : listingOf(path).names.filter((name) => matchesWord(pattern, name))).map(
      (name) => ({ path: joinPath(path, name), tree }),
    ),
  );
  return candidates.flatMap(({ path, tree }) => {
    const real = realProgram(path);
    if (real === null || leaves(real, tree)) return [];
    return multiCall.has(baseName(real)) && !matchesWord(pattern, baseName(real)) ? [] : [real];
  });
}

function byPath(glob: Glob, changeable: readonly string[]): string[] {
  const literal = literalGlobPath(glob);
  const top = literal ?? topOf(glob);
  const { real } = resolvePath(top);
  if (leaves(real, treeAround(top, changeable))) return [];
  if (literal !== null) {
    const stats = lstatAt(real);
    // A file that is named in full need not be executable, because an interpreter can run it.
    if (stats?.isDirectory() !== true) return stats?.isFile() === true ? [real] : [];
  }
  return walk(top, (path) => coversPath(glob, pathNames(path)));
}

/** SECURITY(T40): anybody who can write in a tree could otherwise hide any file of the machine by a link with a denied name. */
function leaves(real: string, tree: string | null): boolean {
  return tree !== null && !isWithin(real, tree);
}

function treeAround(path: string, trees: readonly string[]): string | null {
  return trees.find((tree) => isWithin(path, tree)) ?? null;
}

/** The matching programs below a directory; the directory itself if it holds too many files to check. */
function walk(top: string, isMeant: (path: string) => boolean): string[] {
  const { real } = resolvePath(top);
  const found: string[] = [];
  const todo = [real];
  let walked = 0;
  for (let directory = todo.pop(); directory !== undefined; directory = todo.pop()) {
    for (const name of namesIn(directory)) {
      const path = joinPath(directory, name);
      const stats = lstatAt(path);
      if (stats?.isDirectory() === true) todo.push(path);
      else if (stats !== undefined && isProgram(stats) && isMeant(path)) found.push(path);
      if (++walked > MOST_WALKED || found.length > MOST_FOUND) return [real];
    }
  }
  return found;
}

/** Further hard links to the files in the program directories. */
function otherNames(files: readonly string[], directories: readonly string[]): string[] {
  const twice = new Set(
    files.flatMap((path) => {
      const stats = lstatAt(path);
      return stats !== undefined && stats.nlink > 1 && stats.isFile() ? [identityOf(stats)] : [];
    }),
  );
  if (twice.size === 0) return [];
  return directories.flatMap((directory) =>
    [...twice].flatMap((identity) => listingOf(directory).files().get(identity) ?? []),
  );
}

interface Listing {
  readonly version: string;
  readonly names: readonly string[];
  /** Paths by file identity. Computed once. */
  readonly files: () => ReadonlyMap<string, readonly string[]>;
}

const listings = new Map<string, Listing>();
/** File times advance only every few milliseconds, so a listing that was read right after a change may miss the next change. */
const SETTLED_MS = 100;

/** Returns the remembered listing if the directory has not changed since. */
function listingOf(directory: string): Listing {
  const stats = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
  const version = `${stats?.dev}:${stats?.ino}:${stats?.ctimeNs}`;
  const known = listings.get(directory);
  if (known?.version === version) return known;
  const names = namesIn(directory);
  let files: Map<string, string[]> | undefined;
  const listing: Listing = { version, names, files: () => (files ??= identitiesIn(directory, names)) };
  if (stats !== undefined && Date.now() - Number(stats.ctimeMs) > SETTLED_MS) listings.set(directory, listing);
  return listing;
}

function identitiesIn(directory: string, names: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const path = joinPath(directory, name);
    const stats = lstatAt(path);
    if (stats?.isFile() === true) found.set(identityOf(stats), [...(found.get(identityOf(stats)) ?? []), path]);
  }
  return found;
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function realProgram(path: string): string | null {
  // Most names exist in one directory only, and one lstat is cheaper than resolving the path.
  if (lstatAt(path) === undefined) return null;
  const { real, exists } = resolvePath(path);
  const stats = exists ? lstatAt(real) : undefined;
  return stats !== undefined && isProgram(stats) ? real : null;
}

function isProgram(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o111) !== 0;
}

/** The existing directories by their real paths, each once. */
function existing(directories: readonly string[], changeable: readonly string[]): SearchedDirectory[] {
  const real = directories.map((directory) => resolvePath(directory)).filter(({ exists }) => exists);
  const paths = [...new Set(real.map((directory) => directory.real))];
  return paths.map((path) => ({ path, tree: treeAround(path, changeable) }));
}

function topOf(glob: Glob): string {
  const end = glob.components.findIndex((part) => literalGlobPath({ ...glob, components: [part] }) === null);
  return literalGlobPath({ ...glob, components: glob.components.slice(0, end) }) ?? "/";
}

function lstatAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
