// "Did you mean …?": the known name nearest to the one that was written.

/** The known name that was probably meant, or undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const close = known
    .map((candidate) => ({
      candidate,
      distance: editDistance(name.slice(0, 64).toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(
      ({ candidate, distance }) =>
        distance <= Math.max(2, Math.floor(candidate.length / 3)) && distance < candidate.length,
    )
    .sort((a, b) => a.distance - b.distance);
  return close[0]?.candidate;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
