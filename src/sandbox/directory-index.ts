// Caches the entries of the directories in a granted tree between calls. A directory whose change time is the same as before is not
// read again. Hiding walks the whole tree for each call, and so does the search for names that others execute later.

import { isUtf8 } from "node:buffer";
import { accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { limits } from "../shared/limits.ts";
import { joinPath } from "../shared/path.ts";

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link";
  /** The name's bytes, set if they are not UTF-8. No text path leads to such an entry, and no box can mount anything on it. */
  readonly bytes?: Buffer;
}

/** Identifies one state of a directory. */
export interface DirectoryStamp {
  /** With fractions: to a quarter of a microsecond. */
  readonly changedMs: number;
  readonly inode: number;
  readonly device: number;
  /** When the stamp was taken, before the entries were read. */
  readonly readAtMs: number;
}

interface Listing {
  readonly stamp: DirectoryStamp;
  readonly entries: readonly DirectoryEntry[];
}

export interface TreeVisitor {
  /** Called before a directory is read. If the visitor already knows this directory, it returns the subdirectories to visit. */
  known?(path: string, stamp: DirectoryStamp): readonly string[] | null;
  /** Returns the subdirectories to visit. */
  directory(path: string, entries: readonly DirectoryEntry[], stamp: DirectoryStamp): readonly string[];
  /** Called for a directory that the gate cannot list, because it lacks permission or the path is too long. */
  closed(path: string): void;
}

// File times advance every few milliseconds, so a listing read right after a change may miss the next change.
const SETTLED_MS = 100;

export class DirectoryIndex {
  readonly #listings = new Map<string, Listing>();

  /** Visits each directory under `root`, parents first. */
  walk(root: string, visitor: TreeVisitor): void {
    const todo = [root];
    for (let directory = todo.pop(); directory !== undefined; directory = todo.pop()) {
      for (const name of this.#visit(directory, visitor)) todo.push(joinPath(directory, name));
    }
  }

  #visit(directory: string, visitor: TreeVisitor): readonly string[] {
    const stamp = stampOf(directory);
    if (stamp === null) return [];
    const known = stamp === "closed" ? null : visitor.known?.(directory, stamp);
    if (known !== null && known !== undefined) return known;
    const listing = stamp === "closed" ? "closed" : this.#list(directory, stamp);
    if (listing === "closed") visitor.closed(directory);
    return listing === "closed" || listing === null ? [] : visitor.directory(directory, listing.entries, listing.stamp);
  }

  #list(directory: string, stamp: DirectoryStamp): Listing | "closed" | null {
    try {
      const known = this.#listings.get(directory);
      // SECURITY(T08): compares ctime, because any owner can set mtime back.
      if (known !== undefined && isSame(known.stamp, stamp) && isSettled(known.stamp)) return known;
      accessSync(directory, constants.R_OK | constants.X_OK); // with read permission alone the gate gets names but no details
      const entries = readdirSync(directory, { withFileTypes: true, encoding: "buffer" }).map(
        (entry): DirectoryEntry => {
          const kind = entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "file";
          const name = entry.name.toString("utf8");
          return isUtf8(entry.name) ? { name, kind } : { name, kind, bytes: entry.name };
        },
      );
      const listing = { stamp, entries };
      this.#listings.set(directory, listing);
      return listing;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      return "closed";
    }
  }
}

/** Null if the path is gone or is not a directory. */
function stampOf(directory: string): DirectoryStamp | "closed" | null {
  // A character has at most three bytes: most paths need not be counted.
  if (directory.length * 3 > limits.treePathBytes && Buffer.byteLength(directory) > limits.treePathBytes)
    return "closed";
  try {
    const readAtMs = Date.now();
    const found = lstatSync(directory);
    return found.isDirectory() ? { changedMs: found.ctimeMs, inode: found.ino, device: found.dev, readAtMs } : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : "closed";
  }
}

function isSame(one: DirectoryStamp, other: DirectoryStamp): boolean {
  return one.changedMs === other.changedMs && one.inode === other.inode && one.device === other.device;
}

function isSettled({ readAtMs, changedMs }: DirectoryStamp): boolean {
  return readAtMs - changedMs > SETTLED_MS;
}

export function subdirectories(entries: readonly DirectoryEntry[]): string[] {
  return entries.filter((entry) => entry.kind === "directory" && entry.bytes === undefined).map((entry) => entry.name);
}

/** Whether some name below a directory whose own name is not UTF-8 passes the test. A directory that cannot be read counts as a match. */
export function someBelow(directory: Buffer, test: (name: string) => boolean): boolean {
  try {
    return readdirSync(directory, { withFileTypes: true, encoding: "buffer" }).some((entry) => {
      if (test(entry.name.toString("utf8"))) return true;
      return entry.isDirectory() && someBelow(Buffer.concat([directory, Buffer.from("/"), entry.name]), test);
    });
  } catch {
    return true;
  }
}
