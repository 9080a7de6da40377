// The position of each row of a file: rows have the same height, or the height of their wrapped line.
// Invariant: a row is found by its position without checking every row.

import { ROW_HEIGHT, type Span } from "./layout.ts";

export class RowTops {
  readonly count: number;
  /** In units of one row's height; null if every row has that height. */
  readonly #tops: Int32Array | null;

  /** `heights` returns the height of a row in units of one row. */
  constructor(count: number, heights?: (row: number) => number) {
    this.count = count;
    this.#tops = heights === undefined ? null : new Int32Array(count + 1);
    for (let row = 0; row < count && this.#tops !== null; row += 1)
      this.#tops[row + 1] = (this.#tops[row] as number) + (heights as (row: number) => number)(row);
  }

  /** In pixels below the first row. For the row after the last, this is the end of the rows. */
  top(row: number): number {
    return this.#tops === null ? row * ROW_HEIGHT : (this.#tops[row] as number) * ROW_HEIGHT;
  }

  heightOf(row: number): number {
    return this.top(row + 1) - this.top(row);
  }

  get height(): number {
    return this.top(this.count);
  }

  /** The row at a position; the first or last if it is above or below all rows. */
  at(position: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.top(middle) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The rows that overlap the range. */
  between(top: number, bottom: number): Span {
    if (bottom <= Math.max(0, top) || top >= this.height || this.count === 0) return [0, 0];
    const last = this.at(bottom);
    return [this.at(top), this.top(last) < bottom ? last + 1 : last];
  }
}
