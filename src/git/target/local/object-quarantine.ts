// Holds new objects in a separate directory before they enter a repository. Only the git process that checks them looks there.
// Invariant: only objects that git has accepted completely get among the repository's objects. No link is followed: all operations
// work in directories that are held open. A killed gate leaves a directory whose name says which process made it. The next landing
// removes it; git's own prune recognises the name, too.

import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { markOfThisProcess, mayBeAlive } from "../../../process/process-mark.ts";
import { joinPath } from "../../../shared/path.ts";
import type { Repository } from "../../repository.ts";
import { nameIn, openDirectory, openOrMakeDirectory, type DirectoryHandle } from "../../../process/directory-handle.ts";
import { errorCode } from "../../../shared/error-code.ts";
import { openWorkTree } from "./work-tree-handle.ts";

const PREFIX = "tmp_objdir-sallyport-";
const MARKED = /^tmp_objdir-sallyport-([0-9.]+\.[0-9a-f]{8})-[0-9a-f]+$/;
/** For a name that does not say which process made it. */
const STALE_MS = 24 * 3_600_000;
const DEEPEST = 3;

export class ObjectQuarantine {
  readonly #objectsPath: string;
  readonly #common: DirectoryHandle;
  readonly #name = `${PREFIX}${markOfThisProcess()}-${randomBytes(6).toString("hex")}`;

  /** Throws errors of the disk. */
  constructor({ commonDirectory }: Repository) {
    this.#objectsPath = joinPath(commonDirectory, "objects");
    this.#common = openWorkTree(commonDirectory);
    try {
      this.#inObjects((objects) => mkdirSync(nameIn(objects, this.#name), 0o700));
    } catch (error) {
      this.#common.close();
      throw error;
    }
  }

  /** For a git process that writes here, and also reads the repository's existing objects. */
  get environment(): Readonly<Record<string, string>> {
    // Quoted, because a colon would end the path.
    const quoted = `"${this.#objectsPath.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
    return {
      GIT_OBJECT_DIRECTORY: joinPath(this.#objectsPath, this.#name),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted,
    };
  }

  /** Moves the packs into the repository. Throws errors of the disk. */
  release(): void {
    this.#inObjects((objects) => {
      // SECURITY(T36): anybody who can change the repository may replace either directory by a link.
      const to = openOrMakeDirectory(nameIn(objects, "pack"));
      try {
        const own = openDirectory(nameIn(objects, this.#name));
        try {
          const from = openDirectory(nameIn(own, "pack"));
          try {
            // Git sees a pack as soon as its index exists, so the index moves last.
            const names = readdirSync(`/proc/self/fd/${from}`).sort(
              (a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")),
            );
            for (const name of names) renameSync(nameIn(from, name), nameIn(to, name));
          } finally {
            closeSync(from);
          }
        } finally {
          closeSync(own);
        }
      } finally {
        closeSync(to);
      }
    });
  }

  remove(): void {
    try {
      this.#inObjects((objects) => removeTree(objects, this.#name, DEEPEST));
    } catch {
      // The disk refuses. The next landing, or git's prune, will remove it.
    } finally {
      this.#common.close();
    }
  }

  #inObjects(act: (objects: number) => void): void {
    const isDone = this.#common.inside("objects", (objects) => (act(objects), true));
    if (isDone !== true) throw Object.assign(new Error("objects is no directory any more"), { code: "ENOTDIR" });
  }
}

/** Removes the directories of landings whose process is gone. True if there were any. */
export function sweepQuarantines({ commonDirectory }: Repository): boolean {
  let wasAny = false;
  const common = openWorkTree(commonDirectory);
  try {
    common.inside("objects", (objects) => {
      for (const name of readdirSync(`/proc/self/fd/${objects}`)) {
        if (!name.startsWith(PREFIX) || isInUse(objects, name)) continue;
        wasAny = true;
        removeTree(objects, name, DEEPEST);
      }
    });
  } catch (error) {
    if (errorCode(error) === "") throw error; // the disk refuses; git's prune will remove it
  } finally {
    common.close();
  }
  return wasAny;
}

function isInUse(objects: number, name: string): boolean {
  const mark = MARKED.exec(name)?.[1];
  if (mark !== undefined && !mayBeAlive(mark)) return false;
  const found = lstatSync(nameIn(objects, name), { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return true; // the gate did not make it
  return Date.now() - found.mtimeMs < STALE_MS;
}

/** Git creates nothing deeper than `deepest`. Anything deeper is left in place. */
function removeTree(above: number, name: string, deepest: number): void {
  const fdPath = nameIn(above, name);
  if (lstatSync(fdPath, { throwIfNoEntry: false })?.isDirectory() !== true) return unlinkSync(fdPath);
  if (deepest === 0) return;
  const directory = openDirectory(fdPath);
  try {
    for (const inner of readdirSync(`/proc/self/fd/${directory}`)) removeTree(directory, inner, deepest - 1);
  } finally {
    closeSync(directory);
  }
  rmdirSync(fdPath);
}
