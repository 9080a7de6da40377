// Remembers directories without files. Workspaces and commits do not contain them, but a program that makes one in a call expects it in
// the next call.

import type { MaterializedTree } from "../sandbox/materialized-tree.ts";
import { isWithin } from "../shared/path.ts";
import { parentsOf, type WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";

const MOST = 10_000;

export class EmptyDirectories {
  readonly #known = new Set<WorkspacePath>();
  /** Removed directories that are still in the tree. */
  readonly #gone = new Set<WorkspacePath>();

  change(gone: readonly WorkspacePath[], made: readonly WorkspacePath[]): void {
    for (const path of this.#known) {
      if (!gone.some((above) => isWithin(`/${path}`, `/${above}`))) continue;
      this.#known.delete(path);
      this.#gone.add(path);
    }
    for (const path of made) if (this.#known.size < MOST) this.#known.add(path);
  }

  async materialize(tree: MaterializedTree, files: Workspace): Promise<void> {
    for (const path of [...this.#gone].sort((a, b) => b.length - a.length)) tree.removeDirectory(path);
    this.#gone.clear();
    for (const path of this.#known) {
      // Meanwhile a file may have replaced the directory, or one of its parents.
      const others = await Promise.all([...parentsOf(path), path].map((place) => files.entry(place)));
      if (others.every((entry) => entry === undefined)) tree.makeDirectory(path);
      else this.#known.delete(path);
    }
  }
}
