// Which pieces of a file's lines were on the screen. A jump to the end does not count for what lies between.

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

  /** Inserts pieces that the reviewer need not see. */
  insert(at: number, count: number): void {
    const seen = new Uint8Array(this.#seen.length + count).fill(1);
    seen.set(this.#seen.subarray(0, at));
    seen.set(this.#seen.subarray(at), at + count);
    this.#seen = seen;
  }

  get isAll(): boolean {
    return this.#left === 0;
  }

  /** The first piece that was not seen; -1 if all were. */
  get firstLeft(): number {
    return this.#seen.indexOf(0);
  }
}
