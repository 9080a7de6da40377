// Files that others execute later: repositories' own directories, and the settings of editors, agents and
// shells. In a path that the agent may change they are read-only all the same.
// Invariant: what exists is bound read-only at any depth; what is absent at the top of a grant or of a work
// tree cannot be made; what is made deeper down is moved away after the run.

import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { executedEntry, mayBeExecuted, reservedNames } from "../policy/executed-later.ts";
import type { ExecutedKind as PlaceholderKind } from "../policy/executed-names.ts";
import { baseName, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { type DirectoryIndex, someBelow, subdirectories } from "./directory-index.ts";
import { identityOf, inDirectory } from "./held-directory.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";

const POINTER_BYTES = 8191;

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
  const isInside = (target: string) =>
    roots.some((writable) => isWithin(target, writable)) && !roots.some((writable) => isWithin(writable, target));
  /** SECURITY(T08): an editor that reads `.vscode` reads what that link leads to, so the target is as protected as the name. */
  const follow = (path: string, kind: PlaceholderKind) => {
    const { real, exists } = resolvePath(path);
    if (!isInside(real) || opened.includes(real)) return;
    targets.add(real);
    if (exists) add(real, path);
    else tops.push({ path: real, kind });
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
        if (text === undefined) add(path, null);
        else {
          links.set(path, text);
          follow(path, row.kind);
        }
        if (name !== ".git") continue;
        isWorkTree = true;
        for (const target of gitDirectories(path)) {
          if (!roots.some((writable) => isWithin(target, writable))) continue;
          targets.add(target);
          add(target, path);
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
  return { existing: [...existing.values()], links, tops, targets: [...targets] };
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
    const place = joinPath(here, baseName(path));
    try {
      if (kind === "directory") mkdirSync(place, { mode: 0o755 });
      else writeFileSync(place, "", { flag: "wx", mode: 0o644 });
    } catch (error) {
      // Made by somebody else meanwhile, or a place where we may not write: what appears there is moved away afterwards.
      if (!["EEXIST", "EACCES", "EROFS", "EPERM", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? ""))
        throw error;
    }
  });
}
