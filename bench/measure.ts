// The sampler. Candidates take turns within each round (A B C, B C A, …), because a machine's speed drifts:
// what ran one block after the other would compare two moments, not two programs.

export interface Candidate {
  readonly name: string;
  /** Before each run, and not timed. */
  prepare?(): Promise<void> | void;
  /**
   * One run. Throws when it did not do its work: a failed run is no fast run. A number is how many milliseconds it took,
   * where another process measured it.
   */
  run(): Promise<number | void> | number | void;
}

export interface Summary {
  readonly name: string;
  readonly medianMs: number;
  /** One run in ten is faster: what a quiet moment of a busy machine gives. */
  readonly p10Ms: number;
  readonly p95Ms: number;
  /** Between the quartiles: how much a single sample is worth. */
  readonly iqrMs: number;
  readonly samples: number;
}

export interface SamplingOptions {
  readonly rounds: number;
  readonly warmUpRounds?: number;
  /** No further round begins after this long; there are at least five. */
  readonly budgetMs?: number;
}

const LEAST_ROUNDS = 5;

export async function sample(candidates: readonly Candidate[], options: SamplingOptions): Promise<Summary[]> {
  for (let round = 0; round < (options.warmUpRounds ?? 5); round++) {
    for (const candidate of candidates) {
      await candidate.prepare?.();
      await candidate.run();
    }
  }
  const times = candidates.map((): number[] => []);
  const untilMs = performance.now() + (options.budgetMs ?? 30_000);
  for (let round = 0; round < options.rounds; round++) {
    if (round >= LEAST_ROUNDS && performance.now() > untilMs) break;
    for (let turn = 0; turn < candidates.length; turn++) {
      const index = (round + turn) % candidates.length;
      await candidates[index]?.prepare?.();
      const startedMs = performance.now();
      const tookMs = await (candidates[index] as Candidate).run();
      (times[index] as number[]).push(tookMs ?? performance.now() - startedMs);
    }
  }
  return candidates.map(({ name }, index) => summarize(name, times[index] as number[]));
}

export function summarize(name: string, timesMs: readonly number[]): Summary {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return {
    name,
    medianMs: quantile(sorted, 0.5),
    p10Ms: quantile(sorted, 0.1),
    p95Ms: quantile(sorted, 0.95),
    iqrMs: quantile(sorted, 0.75) - quantile(sorted, 0.25),
    samples: sorted.length,
  };
}

function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** How many times `name` takes what `base` takes, by their medians or by another figure of both. */
export function ratioOf(
  summaries: readonly Summary[],
  name: string,
  base: string,
  figure: "medianMs" | "p10Ms" = "medianMs",
): number {
  return summaryOf(summaries, name)[figure] / summaryOf(summaries, base)[figure];
}

function summaryOf(summaries: readonly Summary[], name: string): Summary {
  const found = summaries.find((summary) => summary.name === name);
  if (found === undefined) throw new Error(`nothing was measured under the name ${name}`);
  return found;
}
