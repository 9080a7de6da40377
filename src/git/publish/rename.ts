// Finds deleted files that reappear under another name: first files with equal content, then files that share enough lines, as
// git counts it. The work is bounded. A rename that is not found within the bound is shown as a deletion and a creation.

import type { FilePair, FileSide } from "./diff.ts";
import { looksBinary } from "./text-content.ts";
import { entryKind } from "./tree-entry.ts";

export interface Rename {
  readonly from: FilePair;
  readonly to: FilePair;
  /** The shared content in percent of the larger file. Only equal files have 100. */
  readonly similarity: number;
}

type Gone = FilePair & { readonly before: FileSide };
type Fresh = FilePair & { readonly after: FileSide };
type Spans = ReadonlyMap<number, number>;

const SIMILARITY_LEAST = 50;
const FILE_BYTES = 4 * 1024 * 1024;
const PAIRS = 250_000;
const STEPS = 10_000_000;
const SPAN_BYTES = 64;

/** Each file is part of at most one rename. */
export function findRenames(pairs: readonly FilePair[]): Rename[] {
  const gone = new Set(pairs.filter((pair): pair is Gone => pair.before !== null && pair.after === null));
  const fresh = new Set(pairs.filter((pair): pair is Fresh => pair.before === null && pair.after !== null));
  const renames: Rename[] = [];
  const take = (from: Gone, to: Fresh, similarity: number): void => {
    gone.delete(from);
    fresh.delete(to);
    renames.push({ from, to, similarity });
  };
  const takeEqual = (keyOf: (pair: FilePair, side: FileSide) => string): void => {
    const sources = Map.groupBy(gone, (from) => keyOf(from, from.before));
    for (const to of fresh) {
      const from = sources.get(keyOf(to, to.after))?.shift();
      if (from !== undefined) take(from, to, 100);
    }
  };
  takeEqual((pair, side) => `${entryKind(side.mode)} ${side.id} ${baseName(pair)}`);
  takeEqual((_, side) => `${entryKind(side.mode)} ${side.id}`);
  for (const { from, to, similarity } of similarPairs([...gone], [...fresh]))
    if (gone.has(from) && fresh.has(to)) take(from, to, similarity);
  return renames;
}

function baseName(pair: FilePair): string {
  return pair.path.slice(pair.path.lastIndexOf("/") + 1);
}

/** Sorted, the most similar pair first. */
function similarPairs(
  gone: readonly Gone[],
  fresh: readonly Fresh[],
): { readonly from: Gone; readonly to: Fresh; readonly similarity: number }[] {
  const isCandidate = (side: FileSide): boolean =>
    entryKind(side.mode) === "file" && side.content.length > 0 && side.content.length <= FILE_BYTES;
  const sources = gone.filter((from) => isCandidate(from.before));
  const targets = fresh.filter((to) => isCandidate(to.after));
  const byName = Map.groupBy(sources, baseName);
  const spans = new Map<FileSide, Spans>();
  const spansOnce = (side: FileSide): Spans => {
    const known = spans.get(side) ?? spansOf(side.content);
    spans.set(side, known);
    return known;
  };
  const found: { from: Gone; to: Fresh; similarity: number; isSameName: boolean }[] = [];
  let steps = 0;
  const weigh = (from: Gone, to: Fresh, isSameName: boolean): void => {
    const [least, most] = [from.before.content.length, to.after.content.length].sort((a, b) => a - b) as [
      number,
      number,
    ];
    if (steps > STEPS || least * 100 < most * SIMILARITY_LEAST) return;
    const [one, other] = [spansOnce(from.before), spansOnce(to.after)];
    steps += Math.min(one.size, other.size) + 1;
    const similarity = Math.min(99, Math.floor((sharedBytes(one, other) * 100) / most));
    if (similarity >= SIMILARITY_LEAST) found.push({ from, to, similarity, isSameName });
  };
  // A file that only moved to another directory is the likeliest match, so it is tried before the bounds can be reached.
  for (const to of targets) for (const from of byName.get(baseName(to)) ?? []) weigh(from, to, true);
  if (sources.length * targets.length <= PAIRS) {
    for (const to of targets) for (const from of sources) if (baseName(from) !== baseName(to)) weigh(from, to, false);
  }
  return found.sort((a, b) => b.similarity - a.similarity || Number(b.isSameName) - Number(a.isSameName));
}

function sharedBytes(one: Spans, other: Spans): number {
  const [small, large] = one.size <= other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const [span, bytes] of small) shared += Math.min(bytes, large.get(span) ?? 0);
  return shared;
}

/** Maps the hash of each line (long lines are split) to the number of bytes it covers. In text, CR LF counts as LF. */
function spansOf(content: Uint8Array): Spans {
  const spans = new Map<number, number>();
  const isText = !looksBinary(content);
  let hash = 0;
  let length = 0;
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] as number;
    if (isText && byte === 0x0d && content[at + 1] === 0x0a) continue;
    hash = Math.imul(hash ^ byte, 0x01000193) + (hash >>> 15);
    length += 1;
    if (length < SPAN_BYTES && byte !== 0x0a && at + 1 < content.length) continue;
    spans.set(hash, (spans.get(hash) ?? 0) + length);
    hash = 0;
    length = 0;
  }
  return spans;
}
