// Records which paths changed at which version, so that a caller with an older state can be updated at the cost of the difference. From
// time to time it drops superseded entries and old deletions. If a caller asks for dropped deletions, the log says so.

import { limits } from "../shared/limits.ts";
import type { WorkspacePath } from "./path.ts";

interface Batch {
  readonly version: number;
  readonly paths: readonly WorkspacePath[];
}

const SMALLEST_TO_TIDY = 1_024;

/** The version of an entry. Undefined if it was deleted. */
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

  /** Each path once. Undefined if the log no longer reaches back to that version. */
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

  /** Keeps each path once, at its last change. Of the deleted paths it keeps the most recent ones. */
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
