// Keeps the last few values that take long to make and never change.

/** Keeps at most `most` values, and none that is undefined. */
export function recent<T>(
  most: number,
  make: (key: string) => Promise<T | undefined>,
): (key: string) => Promise<T | undefined> {
  const kept = new Map<string, T>();
  return async (key) => {
    const known = kept.get(key) ?? (await make(key));
    kept.delete(key);
    if (known === undefined) return undefined;
    kept.set(key, known);
    for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest);
    return known;
  };
}
