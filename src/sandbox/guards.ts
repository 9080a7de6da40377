// Keeps guard over one call's writable paths: what is protected in them, the placeholders for what is absent, and
// what has to be moved away afterwards. The ledger knows which other calls need the same placeholders.

import { rmdirSync, statSync, unlinkSync } from "node:fs";
import type { View } from "../action/action.ts";
import type { Quarantined } from "../process/outcome.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { findProtected, makePlaceholder, type ProtectedPaths, quarantineNew } from "./guard.ts";
import type { Hold, GuardLedger } from "./guard-ledger.ts";

export interface GuardedView {
  /** To be bound read-only on themselves, placeholders included. */
  readonly readOnly: readonly string[];
  afterwards(): readonly Quarantined[];
  release(): void;
}

interface GuardedRoot {
  readonly root: string;
  readonly before: ProtectedPaths;
  readonly hold: Hold;
}

export class Guards {
  readonly #ledger: GuardLedger;
  readonly #index: DirectoryIndex;
  readonly #quarantine: string;
  #serial = 0;

  constructor(ledger: GuardLedger, index: DirectoryIndex, quarantine: string) {
    this.#ledger = ledger;
    this.#index = index;
    this.#quarantine = quarantine;
  }

  /** null: there is no box, so nothing can be bound. */
  hold(view: View | null): GuardedView {
    const roots = view === null ? [] : writableDirectories(view).map((root) => this.#holdRoot(root));
    return {
      readOnly: roots.flatMap(({ before, hold }) => [...new Set([...before.existing, ...hold.paths.filter(exists)])]),
      afterwards: () => roots.flatMap(({ root, before }) => quarantineNew(this.#index, root, before, this.#quarantineDirectory())),
      release: () => {
        for (const { hold } of roots) this.#ledger.release(hold, removePlaceholders);
      },
    };
  }

  sweep(): void {
    this.#ledger.sweep(removePlaceholders);
  }

  #holdRoot(root: string): GuardedRoot {
    const found = findProtected(this.#index, root);
    // On the ledger before they are made: whatever happens then, the next start knows of them.
    const hold = this.#ledger.hold(root, found.tops.map(({ path }) => path));
    const booked = new Set(hold.paths);
    for (const placeholder of found.tops) if (booked.has(placeholder.path)) makePlaceholder(placeholder);
    return { root, before: found, hold };
  }

  #quarantineDirectory(): string {
    return `${this.#quarantine}/${new Date().toISOString().replaceAll(":", "-")}-${process.pid}-${this.#serial++}`;
  }
}

function writableDirectories({ paths, workspace }: View): string[] {
  const writable = [...paths.filter(({ mode }) => mode === "rw").map(({ path }) => path), ...(workspace.kind === "directory" ? [workspace.path] : [])];
  return writable.filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Only what is still empty: a person may have put something there meanwhile. */
function removePlaceholders(paths: readonly string[]): void {
  for (const path of paths) {
    const found = statSync(path, { throwIfNoEntry: false });
    try {
      if (found?.isDirectory() === true) rmdirSync(path);
      else if (found?.isFile() === true && found.size === 0) unlinkSync(path);
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST", "ENOENT", "EBUSY", "EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}
