// What takes long to count is not counted again for each entry that is added meanwhile.

const SHORT_MS = 50;
/** At most a tenth of the time goes into counting. */
const REST = 10;

/** The same value while `key` is the same; where making it took long, for a while after that as well. */
export function costly<T>(key: () => number, make: () => T): () => T {
  let known: { readonly key: number; readonly value: T; readonly until: number } | null = null;
  return () => {
    const before = performance.now();
    const now = key();
    if (known !== null && (known.key === now || before < known.until)) return known.value;
    const value = make();
    const after = performance.now();
    const cost = after - before;
    known = { key: now, value, until: cost > SHORT_MS ? after + REST * cost : 0 };
    return value;
  };
}
