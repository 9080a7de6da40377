// What lies in the directories of a granted tree, remembered between calls: a directory whose time of change
// is the same as before is not read again. Hiding and guarding both need the whole tree for each call.

import { isUtf8 } from "node:buffer";
import { accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { limits } from "../shared/limits.ts";
import { joinPath } from "../shared/path.ts";

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link";
  /** The name's bytes, where they are not UTF-8: then no path of ours leads there, and no box can mount anything on it. */
  readonly bytes?: Buffer;
}

/** By what a directory is known again. */
export interface DirectoryStamp {
  readonly changedNs: bigint;
  readonly inode: bigint;
  readonly device: bigint;
  /** When it was looked at, before its entries were read. */
  readonly readAtMs: number;
}

interface Listing {
  readonly stamp: DirectoryStamp;
  readonly entries: readonly DirectoryEntry[];
}

export interface TreeVisitor {
  /** Asked before a directory is read: which subdirectories to go into, where the visitor knows all about it already. */
  known?(path: string, stamp: DirectoryStamp): readonly string[] | null;
  /** Answers which subdirectories to go into. */
  directory(path: string, entries: readonly DirectoryEntry[], stamp: DirectoryStamp): readonly string[];
  /** A directory that cannot be looked into: its names are kept from us, or its path is too long. */
  closed(path: string): void;
}

// File times tick every few milliseconds: a listing read right after a change may miss the next one.
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
      // SECURITY(T08): the time of change, not of modification: that one any owner can set back.
      if (known !== undefined && isSame(known.stamp, stamp) && isSettled(known.stamp)) return known;
      accessSync(directory, constants.R_OK | constants.X_OK); // with R alone there are names, and nothing about them
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

/** null: it is gone, or no directory. */
function stampOf(directory: string): DirectoryStamp | "closed" | null {
  if (Buffer.byteLength(directory) > limits.treePathBytes) return "closed";
  try {
    const readAtMs = Date.now();
    const found = lstatSync(directory, { bigint: true });
    return found.isDirectory() ? { changedNs: found.ctimeNs, inode: found.ino, device: found.dev, readAtMs } : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : "closed";
  }
}

function isSame(one: DirectoryStamp, other: DirectoryStamp): boolean {
  return one.changedNs === other.changedNs && one.inode === other.inode && one.device === other.device;
}

function isSettled({ readAtMs, changedNs }: DirectoryStamp): boolean {
  return readAtMs - Number(changedNs / 1_000_000n) > SETTLED_MS;
}

export function subdirectories(entries: readonly DirectoryEntry[]): string[] {
  return entries.filter((entry) => entry.kind === "directory" && entry.bytes === undefined).map((entry) => entry.name);
}

/** Whether a tree with a name that is not UTF-8 has an entry of that kind in it. What cannot be read counts as one that has. */
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
