// Takes numbers of bytes from pieces of any size.

export class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();
  #at = 0;
  /** How many more bytes may be taken or skipped. */
  #left: number;

  constructor(pieces: AsyncIterable<Uint8Array>, mostBytes: number) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#left = mostBytes;
  }

  /** So many bytes. Null if there are fewer, or that is more than may be taken. */
  async take(length: number): Promise<Uint8Array | null> {
    if (!this.#allow(length)) return null;
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length;) {
      if (this.#at === this.#piece.length && !(await this.#next())) return null;
      const some = this.#piece.subarray(this.#at, this.#at + length - done);
      bytes.set(some, done);
      this.#at += some.length;
      done += some.length;
    }
    return bytes;
  }

  async skip(length: number): Promise<boolean> {
    if (!this.#allow(length)) return false;
    for (let left = length; left > 0;) {
      if (this.#at === this.#piece.length && !(await this.#next())) return false;
      const count = Math.min(left, this.#piece.length - this.#at);
      this.#at += count;
      left -= count;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  #allow(length: number): boolean {
    if (length > this.#left) return false;
    this.#left -= length;
    return true;
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#pieces.next();
    if (done === true) return false;
    this.#piece = value;
    this.#at = 0;
    return true;
  }
}
