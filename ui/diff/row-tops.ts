// Where each row of a file stands: all rows as high as each other, or each as high as its wrapped line needs.
// Invariant: a row is found by its place without looking at every row.

import { ROW_HEIGHT, type Span } from "./layout.ts";

export class RowTops {
  readonly count: number;
  /** In heights of one row; null: row by row. */
  readonly #tops: Int32Array | null;

  /** `heights`: how many rows high each of them is. */
  constructor(count: number, heights?: (row: number) => number) {
    this.count = count;
    this.#tops = heights === undefined ? null : new Int32Array(count + 1);
    for (let row = 0; row < count && this.#tops !== null; row += 1)
      this.#tops[row + 1] = (this.#tops[row] as number) + (heights as (row: number) => number)(row);
  }

  /** In pixels below the first row. Of the row after the last: where the rows end. */
  top(row: number): number {
    return this.#tops === null ? row * ROW_HEIGHT : (this.#tops[row] as number) * ROW_HEIGHT;
  }

  heightOf(row: number): number {
    return this.top(row + 1) - this.top(row);
  }

  get height(): number {
    return this.top(this.count);
  }

  /** The row at a place; the first or last where it is above or below all. */
  at(place: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.top(middle) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The rows that reach into what lies between two places. */
  between(top: number, bottom: number): Span {
    if (bottom <= Math.max(0, top) || top >= this.height || this.count === 0) return [0, 0];
    const last = this.at(bottom);
    return [this.at(top), this.top(last) < bottom ? last + 1 : last];
  }
}
