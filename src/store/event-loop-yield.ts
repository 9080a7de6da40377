// For work that takes long and is done in slices: between two of them everything else in this process gets its turn.

/** A function to wait on before each further slice. Whoever waits, there is one slice in each turn of the event loop. */
export function createEventLoopYield(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise<void>((resolve) => void setImmediate(resolve)));
    return last;
  };
}
