// Guards one call's writable paths: binds protected files, makes placeholders for absent ones, and moves away what a program made
// there. The ledger knows which other calls need the same placeholders.

import { lstatSync, statSync } from "node:fs";
import type { View } from "../action/action.ts";
import { isInDraft } from "../action/draft-view.ts";
import type { Quarantined } from "../process/outcome.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { findProtected, makePlaceholder, type ProtectedPaths } from "./guard.ts";
import type { Hold, GuardLedger } from "./guard-ledger.ts";
import { identityOf } from "./directory-by-descriptor.ts";
import { quarantineNew, removeIfEmpty } from "./quarantine.ts";

export interface GuardedView {
  /** The box binds each read-only on itself. Includes placeholders. */
  readonly readOnly: readonly string[];
  /** Targets of protected links. The directories above them keep their names, or the links would lead elsewhere. */
  readonly ledTo: readonly string[];
  afterwards(): readonly Quarantined[];
  release(): void;
}

interface GuardedRoot {
  readonly root: string;
  readonly before: ProtectedPaths;
  readonly hold: Hold;
  readonly placeholders: ReadonlyMap<string, string>;
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

  /** `view` is null if there is no box, because then nothing can be bound. */
  hold(view: View | null): GuardedView {
    const opened = view?.opens ?? [];
    // If a whole writable directory is opened, only git writes to it, to land a push. See src/runtime/landing-git.ts.
    const writable = view === null ? [] : writableDirectories(view).filter((path) => !opened.includes(path));
    const held: GuardedRoot[] = [];
    const releaseAll = () => {
      for (const { hold } of held) this.#ledger.release(hold, removePlaceholders);
    };
    try {
      for (const root of writable) held.push(this.#holdRoot(root, writable, opened));
    } catch (error) {
      releaseAll();
      throw error;
    }
    let quarantined: readonly Quarantined[] | null = null;
    const afterwards = () => (quarantined ??= held.flatMap((guarded) => this.#lookAfter(guarded, writable, opened)));
    return {
      readOnly: [
        ...new Set(
          held.flatMap(({ before, hold }) => [
            ...before.existing.filter(({ bytes }) => bytes === undefined).map(({ path }) => path),
            ...hold.paths.filter(isHoldable),
          ]),
        ),
      ],
      ledTo: held.flatMap(({ before }) => before.targets),
      afterwards,
      release() {
        // SECURITY(T08): this runs however the run ended, even if the caller did not ask for the result.
        try {
          afterwards();
        } finally {
          releaseAll();
        }
      },
    };
  }

  /** Targets inside these directories of links and pointers with names that other programs execute. */
  executedTargets(roots: readonly string[]): readonly string[] {
    const directories = roots.filter(isDirectory);
    return directories.flatMap((root) => findProtected(this.#index, root, directories).targets);
  }

  sweep(): void {
    this.#ledger.sweep(removePlaceholders);
  }

  #holdRoot(root: string, writable: readonly string[], opened: readonly string[]): GuardedRoot {
    const before = findProtected(this.#index, root, writable, opened);
    // The ledger lists placeholders before they are made, so that after a crash the next gate can remove them.
    const hold = this.#ledger.hold(
      root,
      before.tops.map(({ path }) => path),
    );
    const booked = new Set(hold.paths);
    for (const placeholder of before.tops) if (booked.has(placeholder.path)) makePlaceholder(placeholder);
    const placeholders = new Map(hold.paths.map((path) => [identityOf(path) ?? "", path]));
    placeholders.delete("");
    return { root, before, hold, placeholders };
  }

  #lookAfter(
    { root, before, placeholders }: GuardedRoot,
    writable: readonly string[],
    opened: readonly string[],
  ): Quarantined[] {
    const after = findProtected(this.#index, root, writable, opened);
    return quarantineNew({ before, after, placeholders, directory: this.#quarantineDirectory() });
  }

  #quarantineDirectory(): string {
    return `${this.#quarantine}/${new Date().toISOString().replaceAll(":", "-")}-${process.pid}-${this.#serial++}`;
  }
}

function writableDirectories(view: View): string[] {
  // What a draft shows at a path is a layer of the session, and nobody else executes anything in it.
  const writable = view.paths
    .filter(({ path, mode }) => mode === "rw" && !isInDraft(view.workspace, path))
    .map(({ path }) => path);
  return writable.filter(isDirectory);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isHoldable(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink();
}

function removePlaceholders(paths: readonly string[]): void {
  for (const path of paths) removeIfEmpty(path);
}
