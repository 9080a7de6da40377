// A temporary directory: private to its owner, and removed with its content. The demo uses one.

import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { JournalFault } from "../audit/journal.ts";
import { makeDirectories } from "../process/make-directories.ts";
import { messageOf } from "./private-directory.ts";

export interface TempDirectory {
  /** The real, absolute path. */
  readonly path: string;
  makeDirectory(name: string): string;
  write(name: string, content: string | Uint8Array, mode?: number): string;
  /** Overwrites every occurrence with a text of the same length, in bytes. Returns the number of occurrences. */
  overwrite(name: string, from: string, to: string): number;
  remove(): void;
}

export function openTempDirectory(prefix: string): TempDirectory {
  const path = makeUnder(tmpdir(), prefix);
  const makeDirectory = (name: string) => {
    makeDirectories(join(path, name), 0o700);
    return join(path, name);
  };
  return {
    path,
    makeDirectory,
    write(name, content, mode = 0o600) {
      makeDirectory(dirname(name));
      writeFileSync(join(path, name), content);
      chmodSync(join(path, name), mode);
      return join(path, name);
    },
    overwrite(name, from, to) {
      const [old, next] = [Buffer.from(from), Buffer.from(to)];
      if (old.length !== next.length) throw new TypeError("the two texts must be of the same length");
      const bytes = readFileSync(join(path, name));
      let count = 0;
      for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, at + old.length), count += 1)
        next.copy(bytes, at);
      writeFileSync(join(path, name), bytes);
      return count;
    },
    remove() {
      openDirectories(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function makeUnder(directory: string, prefix: string): string {
  try {
    return realpathSync(mkdtempSync(join(directory, prefix)));
  } catch (cause) {
    throw new JournalFault(`A directory in ${directory} cannot be made: ${messageOf(cause)}`, {
      hint: "Set TMPDIR to a directory that exists and is yours to write to.",
      cause,
    });
  }
}

/**
 * Makes every directory accessible: the box hides files behind directories that nobody can read, and those could not be
 * removed. Links are not followed.
 */
function openDirectories(path: string): void {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openDirectories(join(path, entry.name));
  }
}
