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

interface Listing {
  readonly changedNs: bigint;
  readonly inode: bigint;
  readonly readAtMs: number;
  readonly entries: readonly DirectoryEntry[];
}

export interface TreeVisitor {
  /** Answers which subdirectories to go into. */
  directory(path: string, entries: readonly DirectoryEntry[]): readonly string[];
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
      const entries = this.#list(directory);
      if (entries === "closed") visitor.closed(directory);
      else if (entries !== null)
        for (const name of visitor.directory(directory, entries)) todo.push(joinPath(directory, name));
    }
  }

  #list(directory: string): readonly DirectoryEntry[] | "closed" | null {
    if (Buffer.byteLength(directory) > limits.treePathBytes) return "closed";
    try {
      const found = lstatSync(directory, { bigint: true });
      if (!found.isDirectory()) return null;
      const known = this.#listings.get(directory);
      // SECURITY(T08): the time of change, not of modification: that one any owner can set back.
      if (known !== undefined && known.changedNs === found.ctimeNs && known.inode === found.ino && isSettled(known))
        return known.entries;
      const readAtMs = Date.now();
      accessSync(directory, constants.R_OK | constants.X_OK); // with R alone there are names, and nothing about them
      const entries = readdirSync(directory, { withFileTypes: true, encoding: "buffer" }).map(
        (entry): DirectoryEntry => {
          const kind = entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "file";
          const name = entry.name.toString("utf8");
          return isUtf8(entry.name) ? { name, kind } : { name, kind, bytes: entry.name };
        },
      );
      this.#listings.set(directory, { changedNs: found.ctimeNs, inode: found.ino, readAtMs, entries });
      return entries;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      return "closed";
    }
  }
}

function isSettled(listing: Listing): boolean {
  return listing.readAtMs - Number(listing.changedNs / 1_000_000n) > SETTLED_MS;
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
