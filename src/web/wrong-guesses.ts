// Delays the answer to a wrong secret, and lets only a few wait at once. So guessing is slow, and what is right is not delayed.

const WRONG_MS = 300;
const WRONG_AT_ONCE = 8;

/** Returns false at once if too many wait already. */
export function createWrongGuesses(): () => Promise<boolean> {
  let waiting = 0;
  return async () => {
    if (waiting >= WRONG_AT_ONCE) return false;
    waiting += 1;
    await new Promise((resolve) => setTimeout(resolve, WRONG_MS));
    waiting -= 1;
    return true;
  };
}
