// Which pieces of a file's lines a person has had on the screen. A jump to its end has not shown what lies between.

export class SeenPieces {
  #seen: Uint8Array;
  #left: number;

  constructor(count: number) {
    this.#seen = new Uint8Array(count);
    this.#left = count;
  }

  mark(piece: number): void {
    if (this.#seen[piece] !== 0) return;
    this.#seen[piece] = 1;
    this.#left -= 1;
  }

  has(piece: number): boolean {
    return this.#seen[piece] === 1;
  }

  /** Pieces that nobody has to see were put in. */
  insert(at: number, count: number): void {
    const seen = new Uint8Array(this.#seen.length + count).fill(1);
    seen.set(this.#seen.subarray(0, at));
    seen.set(this.#seen.subarray(at), at + count);
    this.#seen = seen;
  }

  get isAll(): boolean {
    return this.#left === 0;
  }

  /** The first that was not; -1: all were. */
  get firstLeft(): number {
    return this.#seen.indexOf(0);
  }
}
