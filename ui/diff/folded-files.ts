// Which files of a diff are folded.
// Invariant: the open files never have more lines than a browser can lay out.

import type { FileView } from "../../src/web/api.ts";

const MOST_ROWS = 600_000;

export class FoldedFiles {
  readonly #files: readonly Pick<FileView, "lines">[];
  readonly #folded = new Set<number>();

  constructor(files: readonly Pick<FileView, "lines">[]) {
    this.#files = files;
    let rows = 0;
    for (const [n, { lines }] of files.entries()) {
      rows += lines;
      if (rows > MOST_ROWS) this.#folded.add(n);
    }
  }

  has(n: number): boolean {
    return this.#folded.has(n);
  }

  get isAll(): boolean {
    return this.#folded.size === this.#files.length;
  }

  /** False if the file was in that state already. */
  set(n: number, isFolded: boolean): boolean {
    if (isFolded === this.#folded.has(n)) return false;
    if (isFolded) this.#folded.add(n);
    else this.#folded.delete(n);
    if (!isFolded) this.#makeRoom(n);
    return true;
  }

  setAll(isFolded: boolean): void {
    this.#folded.clear();
    if (isFolded) for (const n of this.#files.keys()) this.#folded.add(n);
  }

  /** Folds the first files again. What the reviewer has seen of them stays seen. */
  #makeRoom(opened: number): void {
    let rows = this.#files.reduce((sum, { lines }, n) => sum + (this.#folded.has(n) ? 0 : lines), 0);
    for (const [n, { lines }] of this.#files.entries()) {
      if (rows <= MOST_ROWS) return;
      if (n === opened || this.#folded.has(n)) continue;
      this.#folded.add(n);
      rows -= lines;
    }
  }
}
