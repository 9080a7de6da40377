// The geometry of the small charts: takes numbers, returns rectangles in the chart's own unit. It creates no elements.

export interface Hour {
  readonly hour: string;
  readonly calls: number;
  readonly refused: number;
}

const HOUR_MS = 3_600_000;
const FEWEST_HOURS = 24;
const MOST_HOURS = 168;

/** Every hour up to now, including empty ones: at least a day, at most a week. */
export function everyHour(hours: readonly Hour[], now: number): Hour[] {
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const known = new Map(hours.map((hour) => [Date.parse(withZone(hour.hour)), hour]));
  const starts = [...known.keys()].filter((start) => !Number.isNaN(start) && start <= last);
  const first = starts.reduce((least, start) => Math.min(least, start), last - (FEWEST_HOURS - 1) * HOUR_MS);
  const from = Math.max(first, last - (MOST_HOURS - 1) * HOUR_MS);
  const all: Hour[] = [];
  for (let start = from; start <= last; start += HOUR_MS)
    all.push({ calls: 0, refused: 0, ...known.get(start), hour: new Date(start).toISOString() });
  return all;
}

/** `2026-01-31T14` and similar texts are hours in UTC, whatever follows. */
function withZone(hour: string): string {
  const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{2})/.exec(hour);
  return parts === null ? hour : `${parts[1]}T${parts[2]}:00:00.000Z`;
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface HourBars {
  readonly width: number;
  readonly height: number;
  /** The count at full height. */
  readonly most: number;
  readonly calls: readonly Bar[];
  readonly refused: readonly Bar[];
}

/** A bar for each hour, with the refused calls in front. A count above zero always has a visible bar. */
export function hourBars(hours: readonly Hour[], size: { readonly width: number; readonly height: number }): HourBars {
  const most = roundUp(hours.reduce((high, { calls, refused }) => Math.max(high, calls, refused), 1));
  const slot = size.width / Math.max(1, hours.length);
  const bar = (index: number, count: number): Bar[] => {
    if (count <= 0) return [];
    const height = Math.max(size.height * (count / most), 2);
    return [{ x: index * slot + slot * 0.1, y: size.height - height, width: slot * 0.8, height }];
  };
  return {
    ...size,
    most,
    calls: hours.flatMap(({ calls }, index) => bar(index, calls)),
    refused: hours.flatMap(({ refused }, index) => bar(index, refused)),
  };
}

/** Rounds up to 1, 2, 5, 10, 20, 50, … for a readable scale. */
export function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, count)));
  return ([1, 2, 5, 10].find((step) => step * power >= count) ?? 10) * power;
}

export interface CountBar {
  readonly name: string;
  readonly count: number;
  /** Relative to the widest bar, 0 to 1. */
  readonly share: number;
}

/** The most frequent counts, and one bar for the rest. */
export function countBars(counts: Readonly<Record<string, number>>, shown: number): CountBar[] {
  const all = Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const kept = all.length > shown ? all.slice(0, shown - 1) : all;
  const rest = all.slice(kept.length);
  const bars = kept.map(([name, count]) => ({ name, count }));
  if (rest.length > 0)
    bars.push({ name: `${rest.length} more`, count: rest.reduce((sum, [, count]) => sum + count, 0) });
  const most = bars.reduce((high, { count }) => Math.max(high, count), 1);
  return bars.map((bar) => ({ ...bar, share: bar.count / most }));
}

export interface TimeBar {
  readonly tool: string;
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The median and the 95th percentile as positions from 0 to 1, on a logarithmic scale. */
  readonly half: number;
  readonly most: number;
}

interface Duration {
  readonly count: number;
  readonly p50_s: number;
  readonly p95_s: number;
}

export function timeBars(durations: Readonly<Record<string, Duration>>, shown: number): TimeBar[] {
  const all = Object.entries(durations).sort(([, a], [, b]) => b.count - a.count);
  const kept = all.slice(0, shown);
  const most = kept.reduce((high, [, { p95_s }]) => Math.max(high, p95_s * 1000), 10);
  const position = (ms: number) => Math.min(1, Math.max(0, Math.log10(Math.max(1, ms)) / Math.log10(most)));
  return kept.map(([tool, { count, p50_s, p95_s }]) => ({
    tool,
    count,
    p50Ms: p50_s * 1000,
    p95Ms: p95_s * 1000,
    half: position(p50_s * 1000),
    most: position(p95_s * 1000),
  }));
}
