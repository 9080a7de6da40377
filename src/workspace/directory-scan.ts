// Lists a directory on the disk as a workspace sees it: files, and links that stay inside. It leaves out `.git`, names that a workspace
// does not accept, links that lead outside, and anything that is neither file nor link.

import { type BigIntStats, closeSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { limits } from "../shared/limits.ts";
import { type DirectoryHandle, nameIn, openDirectory } from "../process/directory-handle.ts";
import { errorCode } from "../shared/error-code.ts";
import { parseLinkTarget } from "./link.ts";
import { byteLength, nameProblem, rootPath, type WorkspacePath } from "./path.ts";
import type { EntryFacts } from "./workspace.ts";

/** The prefix of the gate's staging directories, which exist only while a change is being made. */
export const stagingPrefix = ".sallyport-staging-";

export interface FoundEntry extends EntryFacts {
  /**
   * Differs whenever the entry has changed. As with git, it can miss a change of the same size within one tick of the kernel's clock,
   * to a file that was just read.
   */
  readonly stamp: string;
  readonly mode: number;
}

/** The entry at a disk path that was reached without following links. Undefined if it is not part of the workspace. */
export function entryAt(diskPath: string, path: WorkspacePath): FoundEntry | undefined {
  try {
    const found = lstatSync(diskPath, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : entryOf(found, diskPath, path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EINVAL"].includes(errorCode(error))) return undefined; // the entry was just removed
    throw error;
  }
}

function entryOf(found: BigIntStats, diskPath: string, path: WorkspacePath): FoundEntry | undefined {
  const mode = Number(found.mode);
  const stamp = `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}:${mode}`;
  if (found.isFile()) {
    const executable = (mode & 0o100) !== 0;
    return { path, kind: "file", size: Number(found.size), executable, target: null, stamp, mode };
  }
  if (!found.isSymbolicLink()) return undefined;
  const target = readlinkSync(diskPath);
  if (!parseLinkTarget(path, target).ok) return undefined;
  return { path, kind: "symlink", size: byteLength(target), executable: false, target, stamp, mode };
}

/** Every entry below `under`, in no order. */
export function* scanDirectory(handle: DirectoryHandle, under: WorkspacePath): Generator<FoundEntry> {
  const entries = handle.inDirectory(under, (directory) => [...scan(directory, under)]);
  if (entries !== undefined) yield* entries;
}

function* scan(directory: number, path: WorkspacePath): Generator<FoundEntry> {
  for (const { name, below } of namesBelow(directory, path)) {
    const inner = tryOpenDirectory(nameIn(directory, name));
    if (inner === undefined) {
      const entry = entryAt(nameIn(directory, name), below);
      if (entry !== undefined) yield entry;
      continue;
    }
    try {
      yield* scan(inner, below);
    } finally {
      closeSync(inner);
    }
  }
}

interface NameBelow {
  readonly name: string;
  readonly below: WorkspacePath;
}

/** The names in an open directory that a workspace accepts. */
function* namesBelow(directory: number, path: WorkspacePath): Generator<NameBelow> {
  const depth = path === rootPath ? 0 : path.split("/").length;
  if (depth >= limits.workspaceDepth) return;
  for (const name of readdirSync(`/proc/self/fd/${directory}`)) {
    if (nameProblem(name) !== undefined || (path === rootPath && name.startsWith(stagingPrefix))) continue;
    const below = (path === rootPath ? name : `${path}/${name}`) as WorkspacePath;
    if (byteLength(below) <= limits.workspacePathBytes) yield { name, below };
  }
}

export interface DirectoryLevel {
  readonly entries: readonly FoundEntry[];
  readonly directories: readonly WorkspacePath[];
}

/** What is directly in a directory. */
export function scanLevel(handle: DirectoryHandle, under: WorkspacePath): DirectoryLevel {
  const level = handle.inDirectory(under, (directory) => {
    const entries: FoundEntry[] = [];
    const directories: WorkspacePath[] = [];
    for (const { name, below } of namesBelow(directory, under)) {
      const entry = entryAt(nameIn(directory, name), below);
      if (entry !== undefined) entries.push(entry);
      else if (lstatSync(nameIn(directory, name), { throwIfNoEntry: false })?.isDirectory() === true)
        directories.push(below);
    }
    return { entries, directories };
  });
  return level ?? { entries: [], directories: [] };
}

function tryOpenDirectory(diskPath: string): number | undefined {
  try {
    return openDirectory(diskPath);
  } catch (error) {
    if (["ENOTDIR", "ENOENT", "ELOOP", "EACCES"].includes(errorCode(error))) return undefined;
    throw error;
  }
}
