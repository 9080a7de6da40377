// The files of the programs that rules deny whatever their arguments: what no box of the agent may hold.
// A name means the programs of that name in the directories of programs; a path that file, or what its pattern matches.
// Links are followed: who denies `awk` denies what `awk` leads to, and with it every other name of that file.
// Invariant: a link in a tree of the agent hides nothing outside of that tree, or whoever writes there could hide a library.

import { lstatSync, readdirSync, type Stats } from "node:fs";
import { type DeniedProgram, deniedPrograms } from "../policy/denied-program.ts";
import { literalGlobPath } from "../policy/policy.ts";
import type { Rule } from "../policy/rule.ts";
import { isLiteral, matchesWord } from "../policy/word-pattern.ts";
import { coversPath, type Glob, pathNames } from "../shared/glob.ts";
import { baseName, isWithin, joinPath } from "../shared/path.ts";
import { programDirectories } from "./find-on-path.ts";
import { resolvePath } from "./real-path.ts";

/** Where systems keep programs, beside the search path; git's own are as good as git. */
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
/** Where trees of people and projects keep theirs. */
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
/** One file that is many programs by the name it is started with. Without it, nearly nothing would be left. */
const multiCall: ReadonlySet<string> = new Set(["busybox", "toybox", "coreutils"]);
const MOST_WALKED = 20_000;
const MOST_FOUND = 500;

interface SearchedDirectory {
  readonly path: string;
  /** Links from here count as far as they stay in this tree; null: wherever they lead. */
  readonly tree: string | null;
}

/** Real paths, sorted. `granted`: the trees that the agent sees; `changeable`: those of them that it can change. */
export function deniedProgramFiles(
  rules: readonly Rule[],
  granted: readonly string[],
  changeable: readonly string[] = [],
): readonly string[] {
  const denied = deniedPrograms(rules);
  if (denied.length === 0) return [];
  const changed = changeable.map((path) => resolvePath(path).real);
  const directories = existing([...programDirectories(), ...systemDirectories], changed);
  const known = new Set(directories.map(({ path }) => path));
  for (const path of granted) {
    const tree = resolvePath(path).real;
    for (const directory of directoriesInTrees) {
      const { real, exists } = resolvePath(directory === "" ? tree : joinPath(tree, directory));
      // SECURITY(T40): also a place itself may be a link.
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
    // A file that is named in full need not be executable: an interpreter may be given it.
    if (stats?.isDirectory() !== true) return stats?.isFile() === true ? [real] : [];
  }
  return walk(top, (path) => coversPath(glob, pathNames(path)));
}

/** SECURITY(T40): whoever can write in a tree could hide any file of the machine by a link with a denied name. */
function leaves(real: string, tree: string | null): boolean {
  return tree !== null && !isWithin(real, tree);
}

function treeAround(path: string, trees: readonly string[]): string | null {
  return trees.find((tree) => isWithin(path, tree)) ?? null;
}

/** Programs below a directory. Too many to look at: the directory. */
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

/** Further hard links in the directories of programs. */
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
  /** By identity; looked at once. */
  readonly files: () => ReadonlyMap<string, readonly string[]>;
}

const listings = new Map<string, Listing>();
/** File times tick every few milliseconds: a listing read right after a change may miss the next one. */
const SETTLED_MS = 100;

/** Of a directory that has not changed since, what was found then. */
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
  // Most names are in one place only, and one look is cheaper than to follow the path.
  if (lstatAt(path) === undefined) return null;
  const { real, exists } = resolvePath(path);
  const stats = exists ? lstatAt(real) : undefined;
  return stats !== undefined && isProgram(stats) ? real : null;
}

function isProgram(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o111) !== 0;
}

/** By their real paths, each once. */
function existing(directories: readonly string[], changeable: readonly string[]): SearchedDirectory[] {
  const real = directories.map((directory) => resolvePath(directory)).filter(({ exists }) => exists);
  const paths = [...new Set(real.map((directory) => directory.real))];
  return paths.map((path) => ({ path, tree: treeAround(path, changeable) }));
}

function topOf(glob: Glob): string {
  const end = glob.components.findIndex((part) => literalGlobPath({ ...glob, components: [part] }) === null);
  return literalGlobPath({ ...glob, components: glob.components.slice(0, end) }) ?? "/";
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // no directory, or not ours to look into: then no box of ours shows what is in it
  }
}

function lstatAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
