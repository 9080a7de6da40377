// Yields to the event loop between slices of long work, so that other work of this process can run.

/** Returns a function to await before each further slice. However many callers wait, one slice runs in each turn of the event loop. */
export function createEventLoopYield(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise<void>((resolve) => void setImmediate(resolve)));
    return last;
  };
}
