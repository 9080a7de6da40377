// Notes which parts of something long were in view, in any order.

export class Covered {
  /** Sorted; no two parts touch. */
  #parts: readonly (readonly [from: number, to: number])[] = [];

  add(from: number, to: number): void {
    if (to <= from) return;
    const apart = this.#parts.filter((part) => part[1] < from || part[0] > to);
    const joined = this.#parts.filter((part) => part[1] >= from && part[0] <= to);
    const [low, high] = [Math.min(from, ...joined.map((one) => one[0])), Math.max(to, ...joined.map((one) => one[1]))];
    this.#parts = [...apart, [low, high] as const].sort((one, other) => one[0] - other[0]);
  }

  /** The end of the covered part that contains `from`; `from` itself if none does. */
  upTo(from: number): number {
    const part = this.#parts.find(([low, high]) => low <= from && high > from);
    return part === undefined ? from : part[1];
  }
}
