// Work that has begun and not ended, and waiting for its end.

export class Outstanding {
  readonly #begun = new Set<object>();
  #wake: (() => void) | null = null;

  /** Returns what ends this piece of work. */
  add(): () => void {
    const one = {};
    this.#begun.add(one);
    return () => {
      if (this.#begun.delete(one) && this.#begun.size === 0) this.#wake?.();
    };
  }

  /** Resolves when nothing is left, and in any case after this time. */
  async ended(mostMs: number): Promise<void> {
    if (this.#begun.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, mostMs);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = null;
  }
}
