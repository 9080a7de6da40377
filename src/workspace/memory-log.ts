// Which paths changed at which version, so that whoever has an older state can be brought up to date at the cost of the
// difference. What is superseded is forgotten now and then; what was deleted long ago too, and then it says so.

import { limits } from "../shared/limits.ts";
import type { WorkspacePath } from "./path.ts";

interface Batch {
  readonly version: number;
  readonly paths: readonly WorkspacePath[];
}

const SMALLEST_TO_TIDY = 1_024;

/** The version of an entry; undefined for one that is gone. */
type VersionOf = (path: WorkspacePath) => number | undefined;

export class ChangeLog {
  readonly #goneMost: number;
  #batches: Batch[] = [];
  #count = 0;
  #tidyAt = SMALLEST_TO_TIDY;
  /** Deletions up to this version are forgotten. */
  #forgotten = 0;
  #version = 0;

  constructor(goneMost: number = limits.workspaceFileCount) {
    this.#goneMost = goneMost;
  }

  get version(): number {
    return this.#version;
  }

  add(paths: readonly WorkspacePath[], versionOf: VersionOf): void {
    this.#version += 1;
    this.#batches.push({ version: this.#version, paths });
    this.#count += paths.length;
    if (this.#count > this.#tidyAt) this.#tidy(versionOf);
  }

  /** Each path once. undefined: too long ago to know. */
  pathsSince(version: number, versionOf: VersionOf): WorkspacePath[] | undefined {
    if (version < this.#forgotten) return undefined;
    const found = new Set<WorkspacePath>();
    for (let at = this.#batches.length - 1; at >= 0; at -= 1) {
      const batch = this.#batches[at] as Batch;
      if (batch.version <= version) break;
      for (const path of batch.paths) if ((versionOf(path) ?? batch.version) === batch.version) found.add(path);
    }
    return [...found];
  }

  /** Leaves each path once, at its last change; and of those that are gone, the latest. */
  #tidy(versionOf: VersionOf): void {
    const gone = new Set<WorkspacePath>();
    const kept: Batch[] = [];
    let count = 0;
    for (const { version, paths } of this.#batches.reverse()) {
      const latest = paths.filter((path) => {
        const now = versionOf(path);
        if (now !== undefined) return now === version;
        if (gone.has(path)) return false;
        if (gone.size >= this.#goneMost) {
          this.#forgotten = Math.max(this.#forgotten, version);
          return false;
        }
        gone.add(path);
        return true;
      });
      if (latest.length > 0) kept.push({ version, paths: latest });
      count += latest.length;
    }
    this.#batches = kept.reverse();
    this.#count = count;
    this.#tidyAt = Math.max(SMALLEST_TO_TIDY, count * 2);
  }
}
