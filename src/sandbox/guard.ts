// Files that others execute later: repositories' own directories, and the settings of editors, agents and
// shells. In a path that the agent may change they are read-only all the same.
// Invariant: what exists is bound read-only at any depth; what is absent at the top of a grant or of a work
// tree cannot be made; what is made deeper down is moved away after the run.

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
/** What git runs or reads settings from. The rest of a repository's own directory is objects, which are many. */
const repositoryParts = ["hooks", "info", "config"];

export interface Placeholder {
  readonly path: string;
  readonly kind: PlaceholderKind;
}

export interface ProtectedFile {
  readonly path: string;
  /** Which file it is: a program can move a directory above it away, and put another file under the same path. */
  readonly identity: string;
  /** The name's bytes, where they are not UTF-8: it cannot be bound, only moved. */
  readonly bytes?: Buffer | undefined;
  /** The `.git` file or link that leads here, if the name alone would not protect it. */
  readonly pointer: string | null;
}

export interface ProtectedPaths {
  /** Bound read-only on themselves. */
  readonly existing: readonly ProtectedFile[];
  /** Protected names that are links: a bind cannot hold those, so they are put back after the run. */
  readonly links: ReadonlyMap<string, string>;
  /** Every reserved name at the top of the grant and of each work tree, there or not: what is absent gets a placeholder. */
  readonly tops: readonly Placeholder[];
  /** Where protected names that are links or pointers lead, inside of what may be changed. Protected under that name, too. */
  readonly targets: readonly string[];
  /** Each of these links and pointers, and the real place it leads to; "" where that is nothing that the agent may change. */
  readonly leads: ReadonlyMap<string, string>;
}

/**
 * Looks at the whole of `root`, because a repository's hooks run wherever it lies. `roots` is all that the agent may change:
 * a `.git` file of one can lead into another. `opened`: what a person said yes to changing.
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
  /** Not a root itself, nor what lies above one: all of a grant cannot be read-only. */
  const lead = (pointer: string, real: string): boolean => {
    const isChangeable = roots.some((writable) => isWithin(real, writable));
    if (!leads.has(pointer)) leads.set(pointer, isChangeable ? real : "");
    if (!isChangeable || roots.some((writable) => isWithin(writable, real)) || opened.includes(real)) return false;
    targets.add(real);
    return true;
  };
  /** SECURITY(T08): an editor that reads `.vscode` reads what that link leads to, so the target is as protected as the name. */
  const follow = (path: string, kind: PlaceholderKind) => {
    const { real, exists } = resolvePath(path);
    if (!lead(path, real)) return;
    if (exists) add(real, path);
    else tops.push({ path: real, kind });
  };
  /** The same for links in a protected directory; `places`: only in these parts of it. */
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
    // SECURITY(T08): every directory, not only the top.
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
    // Nobody can list it, but who knows a name in it can still use it.
    closed: (directory) => add(directory, null),
  });
  // SECURITY(T08): directories around the root may have such links, too, and nobody else would follow them.
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

/** From the parent of `root` up to the top of the repository that it lies in, or a few levels where it lies in none. */
function directoriesAbove(root: string): string[] {
  const above = ancestorsOf(parentPath(root)).toReversed();
  const top = above.findIndex((directory) => identityOf(joinPath(directory, ".git")) !== undefined);
  return above.slice(0, top < 0 ? LEVELS_ABOVE : top + 1);
}

/** Where a `.git` file or link leads, and the common directory behind that: they may lie under another name. */
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

/** SECURITY(T37): another call of the same agent may be putting a pipe or a link in its place right now. */
function readSmallFile(path: string): string {
  return readPlainFile(path, POINTER_BYTES)?.toString("utf8") ?? "";
}

/** undefined: it is none any more. */
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
      // Made by somebody else meanwhile, or a place where we may not write: what appears there is moved away afterwards.
      if (!["EEXIST", "EACCES", "EROFS", "EPERM", "ENOENT"].includes(errorCode(error))) throw error;
    }
  });
}
