// Finds files that other programs execute later: .git directories, and the settings of editors, agents and shells. They stay read-only
// even inside a path that the agent may change.
// Invariant: an existing file is bound read-only at any depth. An absent one cannot be made at the top of a grant or of a work tree.
// One that a program makes deeper down is moved away after the run.

import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { executedEntry, mayBeExecuted, reservedNames } from "../policy/executed-later.ts";
import type { ExecutedKind as PlaceholderKind } from "../policy/executed-names.ts";
import { errorCode } from "../shared/error-code.ts";
import { ancestorsOf, baseName, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { type DirectoryIndex, someBelow, subdirectories } from "./directory-index.ts";
import { identityOf, inDirectory } from "./directory-by-descriptor.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";

const POINTER_BYTES = 8191;
/** The parts of a .git directory that git executes or reads settings from. The rest is objects, which are many. */
const repositoryParts = ["hooks", "info", "config"];

export interface Placeholder {
  readonly path: string;
  readonly kind: PlaceholderKind;
}

export interface ProtectedFile {
  readonly path: string;
  /** Device and inode: a program can move a parent directory away and put another file at the same path. */
  readonly identity: string;
  /** The name's bytes, set if they are not UTF-8. Such a file cannot be bound, only moved. */
  readonly bytes?: Buffer | undefined;
  /** The `.git` file or link that leads to this file. Null if the file's own name protects it. */
  readonly pointer: string | null;
}

export interface ProtectedPaths {
  /** The box binds each read-only on itself. */
  readonly existing: readonly ProtectedFile[];
  /** Links with protected names, and their texts. A bind cannot protect a link, so the guard restores it after the run. */
  readonly links: ReadonlyMap<string, string>;
  /** Every reserved name at the top of the grant and of each work tree, whether it exists or not. An absent one gets a placeholder. */
  readonly tops: readonly Placeholder[];
  /** Targets of protected links and pointers, if they lie inside writable paths. They are protected too. */
  readonly targets: readonly string[];
  /** Maps each of these links and pointers to the real path it leads to, or to "" if the agent may not change that path. */
  readonly leads: ReadonlyMap<string, string>;
}

/**
 * Walks all of `root`, because git runs a repository's hooks wherever the repository lies. `roots` is everything that the agent may
 * change: a `.git` file in one root can lead into another. `opened`: paths that a person allowed to be changed.
 */
export function findProtected(
  index: DirectoryIndex,
  root: string,
  roots: readonly string[],
  opened: readonly string[] = [],
): ProtectedPaths {
  const existing = new Map<string, ProtectedFile>();
  const links = new Map<string, string>();
  const tops: Placeholder[] = [];
  const targets = new Set<string>();
  const leads = new Map<string, string>();
  const add = (path: string, pointer: string | null) => {
    const identity = existing.has(path) ? undefined : identityOf(path);
    if (identity !== undefined) existing.set(path, { path, identity, pointer });
  };
  const addUnnameable = (directory: string, bytes: Buffer) => {
    const raw = Buffer.concat([Buffer.from(`${directory}/`), bytes]);
    const identity = identityOf(raw);
    if (identity === undefined || !someBelow(raw, mayBeExecuted)) return;
    existing.set(`${directory}/ ${bytes.toString("hex")}`, {
      path: joinPath(directory, bytes.toString("utf8")),
      identity,
      pointer: null,
      bytes,
    });
  };
  /** Protects neither a root nor a directory above one, because a whole grant cannot be read-only. */
  const lead = (pointer: string, real: string): boolean => {
    const isChangeable = roots.some((writable) => isWithin(real, writable));
    if (!leads.has(pointer)) leads.set(pointer, isChangeable ? real : "");
    if (!isChangeable || roots.some((writable) => isWithin(writable, real)) || opened.includes(real)) return false;
    targets.add(real);
    return true;
  };
  /** SECURITY(T08): an editor that reads `.vscode` follows the link, so the guard protects the target as well. */
  const follow = (path: string, kind: PlaceholderKind) => {
    const { real, exists } = resolvePath(path);
    if (!lead(path, real)) return;
    if (exists) add(real, path);
    else tops.push({ path: real, kind });
  };
  /** Does the same for links inside a protected directory. `parts` limits it to these parts of the directory. */
  const followInside = (directory: string, parts = baseName(directory) === ".git" ? repositoryParts : [""]) => {
    for (const part of parts) {
      const top = part === "" ? directory : joinPath(directory, part);
      if (linkText(top) !== undefined) follow(top, part === "config" ? "file" : "directory");
      index.walk(top, {
        directory(inner, entries) {
          for (const { name, kind } of entries) if (kind === "link") follow(joinPath(inner, name), "file");
          return subdirectories(entries);
        },
        closed: () => undefined,
      });
    }
  };
  index.walk(root, {
    // SECURITY(T08): checks every directory, not only the top.
    directory(directory, entries) {
      let isWorkTree = directory === root;
      for (const { name, kind, bytes } of entries) {
        if (bytes !== undefined && kind === "directory") addUnnameable(directory, bytes);
        const row = executedEntry(directory, name);
        if (row === null) continue;
        const path = joinPath(directory, name);
        if (opened.includes(path)) continue;
        const text = kind === "link" ? linkText(path) : undefined;
        if (text === undefined) {
          add(path, null);
          if (kind === "directory") followInside(path);
        } else {
          links.set(path, text);
          follow(path, row.kind);
        }
        if (name !== ".git") continue;
        isWorkTree = true;
        for (const target of gitDirectories(path)) {
          if (!lead(path, target)) continue;
          add(target, path);
          followInside(target, repositoryParts);
        }
      }
      if (isWorkTree)
        for (const [name, kind] of reservedNames)
          if (!opened.includes(joinPath(directory, name))) tops.push({ path: joinPath(directory, name), kind });
      return subdirectories(entries).filter((name) => executedEntry(directory, name) === null);
    },
    // Nobody can list this directory, but a program that knows a name in it can still use that file.
    closed: (directory) => add(directory, null),
  });
  // SECURITY(T08): directories above the root may contain such links too, and no other code follows them.
  for (const directory of directoriesAbove(root)) {
    index.walk(directory, {
      directory(_, entries) {
        for (const { name, kind } of entries) {
          const row = executedEntry(directory, name);
          if (row === null) continue;
          if (kind === "link") follow(joinPath(directory, name), row.kind);
          else if (kind === "directory") followInside(joinPath(directory, name));
        }
        return [];
      },
      closed: () => undefined,
    });
  }
  return { existing: [...existing.values()], links, tops, targets: [...targets], leads };
}

const LEVELS_ABOVE = 3;

/** The directories from the parent of `root` up to the top of its repository, or a few levels if it lies in no repository. */
function directoriesAbove(root: string): string[] {
  const above = ancestorsOf(parentPath(root)).toReversed();
  const top = above.findIndex((directory) => identityOf(joinPath(directory, ".git")) !== undefined);
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

/** SECURITY(T37): another call of the same agent may replace the file by a pipe or a link at this moment. */
function readSmallFile(path: string): string {
  return readPlainFile(path, POINTER_BYTES)?.toString("utf8") ?? "";
}

/** Undefined if the path is no longer a link. */
function linkText(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

export function makePlaceholder({ path, kind }: Placeholder): void {
  inDirectory(parentPath(path), (here) => {
    const placeholderPath = joinPath(here, baseName(path));
    try {
      if (kind === "directory") mkdirSync(placeholderPath, { mode: 0o755 });
      else writeFileSync(placeholderPath, "", { flag: "wx", mode: 0o644 });
    } catch (error) {
      // Somebody else made it meanwhile, or the gate may not write here. What appears here is moved away after the run.
      if (!["EEXIST", "EACCES", "EROFS", "EPERM", "ENOENT"].includes(errorCode(error))) throw error;
    }
  });
}
