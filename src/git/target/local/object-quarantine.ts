// Objects on their way into a repository: they wait in a directory of their own, where only the git that checks them looks.
// Invariant: nothing is among the repository's objects that git has not taken whole. No link is followed: all of it
// happens in directories that are held open. What is killed half way leaves a directory that says whose it is, and the next
// landing removes it; git's own prune knows its name too.

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
/** Of a name that says nothing of whose it is. */
const STALE_MS = 24 * 3_600_000;
const DEEPEST = 3;

export class ObjectQuarantine {
  readonly #objectsPath: string;
  readonly #common: DirectoryHandle;
  readonly #name = `${PREFIX}${markOfThisProcess()}-${randomBytes(6).toString("hex")}`;

  /** Throws what the disk says. */
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

  /** For a git that writes here, and reads what is there already. */
  get environment(): Readonly<Record<string, string>> {
    // Quoted: a colon would end it.
    const quoted = `"${this.#objectsPath.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
    return {
      GIT_OBJECT_DIRECTORY: joinPath(this.#objectsPath, this.#name),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted,
    };
  }

  /** Moves the packs in among the others. Throws what the disk says. */
  release(): void {
    this.#inObjects((objects) => {
      // SECURITY(T36): whoever can change the repository may put a link in the place of either.
      const to = openOrMakeDirectory(nameIn(objects, "pack"));
      try {
        const own = openDirectory(nameIn(objects, this.#name));
        try {
          const from = openDirectory(nameIn(own, "pack"));
          try {
            // A pack is there for others as soon as its index is.
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
      // The disk does not let us; the next landing, or git's prune, will find it.
    } finally {
      this.#common.close();
    }
  }

  #inObjects(act: (objects: number) => void): void {
    const isDone = this.#common.inside("objects", (objects) => (act(objects), true));
    if (isDone !== true) throw Object.assign(new Error("objects is no directory any more"), { code: "ENOTDIR" });
  }
}

/** Removes what landings left behind whose process is gone. True: there was something. */
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
    if (errorCode(error) === "") throw error; // the disk does not let us; git's prune will find it
  } finally {
    common.close();
  }
  return wasAny;
}

function isInUse(objects: number, name: string): boolean {
  const mark = MARKED.exec(name)?.[1];
  if (mark !== undefined && !mayBeAlive(mark)) return false;
  const found = lstatSync(nameIn(objects, name), { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return true; // none of ours
  return Date.now() - found.mtimeMs < STALE_MS;
}

/** What git makes is not deeper than `deepest`; what is, stays. */
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
