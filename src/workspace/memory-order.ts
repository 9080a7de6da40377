// The paths of a workspace in order, for paged lists. The list is sorted; new paths are merged into it at the next read.

import { compareWorkspacePaths, type WorkspacePath } from "./path.ts";

export class PathOrder {
  #sorted: WorkspacePath[] = [];
  #added = new Set<WorkspacePath>();
  #hasGone = false;

  add(path: WorkspacePath): void {
    this.#added.add(path);
  }

  /** Notes that some path was removed. The next read asks `exists` which one. */
  remove(): void {
    this.#hasGone = true;
  }

  /** The paths that begin with `prefix` and come after the text `after`. The caller must not add or remove paths while iterating. */
  *from(prefix: string, after: string, exists: (path: WorkspacePath) => boolean): Generator<WorkspacePath> {
    this.#merge(exists);
    const start = after >= prefix ? this.#firstAfter(after) : this.#firstAfter(prefix);
    for (let at = start; at < this.#sorted.length; at += 1) {
      const path = this.#sorted[at] as WorkspacePath;
      if (!path.startsWith(prefix)) return;
      yield path;
    }
  }

  #firstAfter(text: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] as string) > text) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #merge(exists: (path: WorkspacePath) => boolean): void {
    if (this.#added.size === 0 && !this.#hasGone) return;
    const added = [...this.#added].filter(exists).sort(compareWorkspacePaths);
    const merged: WorkspacePath[] = [];
    let next = 0;
    for (const path of this.#sorted) {
      if (!exists(path)) continue;
      for (; next < added.length && (added[next] as string) < path; next += 1)
        merged.push(added[next] as WorkspacePath);
      if (added[next] === path) next += 1; // the path was removed and added again
      merged.push(path);
    }
    for (; next < added.length; next += 1) merged.push(added[next] as WorkspacePath);
    this.#sorted = merged;
    this.#added.clear();
    this.#hasGone = false;
  }
}
