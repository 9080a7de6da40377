// Objects on their way into a repository: they wait in a directory of their own, where only the git that checks them looks.
// Invariant: nothing is among the repository's objects that git has not taken whole. What is killed half way leaves a
// directory of a name that git's own prune knows, and removes.

import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { resolvePath } from "../../process/real-path.ts";
import { joinPath } from "../../shared/path.ts";
import type { Repository } from "../repository.ts";

export class ObjectQuarantine {
  readonly #objects: string;
  readonly #path: string;

  /** Throws what the disk says. */
  constructor({ commonDirectory }: Repository) {
    this.#objects = resolvePath(joinPath(commonDirectory, "objects")).real;
    this.#path = mkdtempSync(joinPath(this.#objects, "tmp_objdir-sallyport-"));
  }

  /** For a git that writes here, and reads what is there already. */
  get environment(): Readonly<Record<string, string>> {
    // Quoted: a colon would end it.
    const quoted = `"${this.#objects.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
    return { GIT_OBJECT_DIRECTORY: this.#path, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted };
  }

  /** Moves the packs in among the others. Throws what the disk says. */
  release(): void {
    const from = joinPath(this.#path, "pack");
    const to = joinPath(this.#objects, "pack");
    makeDirectory(to);
    // A pack is there for others as soon as its index is.
    const names = readdirSync(from).sort((a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")));
    for (const name of names) renameSync(joinPath(from, name), joinPath(to, name));
  }

  remove(): void {
    try {
      rmSync(this.#path, { recursive: true, force: true });
    } catch {
      // The disk does not let us; git's prune will find it.
    }
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
