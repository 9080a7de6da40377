// What lies in the directories of a granted tree, remembered between calls: a directory whose time of change
// is the same as before is not read again. Hiding and guarding both need the whole tree for each call.

import { readdirSync, statSync } from "node:fs";
import { joinPath } from "../shared/path.ts";

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link";
}

interface Listing {
  readonly changedNs: bigint;
  readonly inode: bigint;
  readonly readAtMs: number;
  readonly entries: readonly DirectoryEntry[];
}

// File times tick every few milliseconds: a listing read right after a change may miss the next one.
const SETTLED_MS = 100;

export class DirectoryIndex {
  readonly #listings = new Map<string, Listing>();

  /** Visits each directory under `root`, parents first. `visit` answers which subdirectories to go into. */
  walk(root: string, visit: (directory: string, entries: readonly DirectoryEntry[]) => readonly string[]): void {
    const todo = [root];
    for (let directory = todo.pop(); directory !== undefined; directory = todo.pop()) {
      const entries = this.#list(directory);
      if (entries === null) continue;
      for (const name of visit(directory, entries)) todo.push(joinPath(directory, name));
    }
  }

  #list(directory: string): readonly DirectoryEntry[] | null {
    const found = statSync(directory, { bigint: true, throwIfNoEntry: false });
    if (found === undefined || !found.isDirectory()) return null;
    const known = this.#listings.get(directory);
    if (known !== undefined && known.changedNs === found.mtimeNs && known.inode === found.ino && isSettled(known)) return known.entries;
    const readAtMs = Date.now();
    try {
      const entries = readdirSync(directory, { withFileTypes: true }).map((entry): DirectoryEntry => {
        const kind = entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "file";
        return { name: entry.name, kind };
      });
      this.#listings.set(directory, { changedNs: found.mtimeNs, inode: found.ino, readAtMs, entries });
      return entries;
    } catch (error) {
      // What we may not list, a program in the box may not list either: it has no more rights than we have.
      if ((error as NodeJS.ErrnoException).code === "EACCES" || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }
}

function isSettled(listing: Listing): boolean {
  return listing.readAtMs - Number(listing.changedNs / 1_000_000n) > SETTLED_MS;
}

export function subdirectories(entries: readonly DirectoryEntry[]): string[] {
  return entries.filter((entry) => entry.kind === "directory").map((entry) => entry.name);
}
