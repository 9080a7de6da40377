// Which parts of something long were in view, one after the other or in any order.

export class Covered {
  /** In order, none touching another. */
  #parts: readonly (readonly [from: number, to: number])[] = [];

  add(from: number, to: number): void {
    if (to <= from) return;
    const apart = this.#parts.filter((part) => part[1] < from || part[0] > to);
    const joined = this.#parts.filter((part) => part[1] >= from && part[0] <= to);
    const [low, high] = [Math.min(from, ...joined.map((one) => one[0])), Math.max(to, ...joined.map((one) => one[1]))];
    this.#parts = [...apart, [low, high] as const].sort((one, other) => one[0] - other[0]);
  }

  /** Up to where all was in view, from this place on. */
  upTo(from: number): number {
    const part = this.#parts.find(([low, high]) => low <= from && high > from);
    return part === undefined ? from : part[1];
  }
}
