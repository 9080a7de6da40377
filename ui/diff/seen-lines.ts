// Which lines of a file a person has had on the screen. A jump to its end has not shown what lies between.

export class SeenLines {
  readonly #seen: Uint8Array;
  #left: number;

  constructor(count: number) {
    this.#seen = new Uint8Array(count);
    this.#left = count;
  }

  mark(line: number): void {
    if (this.#seen[line] !== 0) return;
    this.#seen[line] = 1;
    this.#left -= 1;
  }

  get isAll(): boolean {
    return this.#left === 0;
  }
}
