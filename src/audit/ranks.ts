// Many numbers, of which a few ranks are asked for again and again while more come in.

const BINS = 200;

/** In bins by size: only the bin that holds the rank is sorted. The square root keeps small ones apart. */
export class Ranks {
  readonly #bins = new Map<number, number[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    // Both steps never turn the order of two numbers round.
    const bin = Math.floor(Math.sqrt(Math.max(0, value)) * BINS);
    const known = this.#bins.get(bin);
    if (known === undefined) this.#bins.set(bin, [value]);
    else known.push(value);
    this.#count += 1;
  }

  /** The nearest rank: a number that was really added. 0 where none was. */
  rank(share: number): number {
    let left = Math.max(1, Math.ceil(this.#count * share));
    for (const [, values] of [...this.#bins].sort(([a], [b]) => a - b)) {
      if (left <= values.length) return values.sort((a, b) => a - b)[left - 1] as number;
      left -= values.length;
    }
    return 0;
  }
}
