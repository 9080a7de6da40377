// Collects many numbers and returns ranks (such as the median) repeatedly while more come in.

const BINS = 200;

/** Numbers are held in bins by size, and only the bin with the rank is sorted. The square root separates small numbers. */
export class Ranks {
  readonly #bins = new Map<number, number[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    // Both steps preserve the order of two numbers.
    const bin = Math.floor(Math.sqrt(Math.max(0, value)) * BINS);
    const known = this.#bins.get(bin);
    if (known === undefined) this.#bins.set(bin, [value]);
    else known.push(value);
    this.#count += 1;
  }

  /** The nearest rank, which is always an added number; 0 if there is none. */
  rank(share: number): number {
    let left = Math.max(1, Math.ceil(this.#count * share));
    for (const [, values] of [...this.#bins].sort(([a], [b]) => a - b)) {
      if (left <= values.length) return values.sort((a, b) => a - b)[left - 1] as number;
      left -= values.length;
    }
    return 0;
  }
}
