// Tells once for each file that all of it has been on the screen: every line, or what is said instead of lines.

import type { DiffState } from "./diff-state.ts";
import { fileAt, ROW_HEIGHT, rowsBetween } from "./layout.ts";
import { SeenLines } from "./seen-lines.ts";

export class SeenFiles {
  readonly #state: DiffState;
  readonly #onSeen: (n: number) => void;
  readonly #lines = new Map<number, SeenLines>();
  readonly #told = new Set<number>();

  constructor(state: DiffState, onSeen: (n: number) => void) {
    this.#state = state;
    this.#onSeen = onSeen;
  }

  /** What lies between is on the screen now, in pixels from the top of the first file. */
  look(top: number, bottom: number): void {
    const { tops, files } = this.#state;
    if (files.length === 0 || bottom <= top) return;
    const last = fileAt(tops, bottom);
    for (let n = fileAt(tops, top); n <= last; n += 1) {
      if (this.#told.has(n) || this.#state.isFolded(n) || !this.#isSeen(n, top, bottom)) continue;
      this.#told.add(n);
      this.#onSeen(n);
    }
  }

  #isSeen(n: number, top: number, bottom: number): boolean {
    const state = this.#state;
    const start = (state.tops[n] as number) + state.rowsStart(n);
    if (state.files[n]?.lines === 0) return start <= bottom && start > top;
    const [rows, lines] = [state.rows(n), state.lines(n)];
    if (rows === null || lines === null) return false;
    const seen = this.#lines.get(n) ?? new SeenLines(lines.lines.length);
    this.#lines.set(n, seen);
    // The file's header stands over the first rows in view; half of a row is enough to have seen it.
    const half = ROW_HEIGHT / 2;
    const [from, to] = rowsBetween(rows.count, start, top + state.headerHeight + half, bottom - half);
    for (let row = from; row < to; row += 1) {
      seen.mark(rows.left[row] as number);
      seen.mark(rows.right[row] as number);
    }
    return seen.isAll;
  }
}
