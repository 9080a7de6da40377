// Runs asynchronous work one after the other: between two steps of one piece of work nothing of another happens.

export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined); // whoever waits for it hears of it
    return mine;
  }
}
