// The hash chain: each entry carries the hash of the previous entry and its own, computed with a key that is stored elsewhere.
// Invariant: without the key nobody can change, add or move an entry, or cut the end below an anchor, without being detected.
// Whoever holds the key can rewrite the log.

import { canonicalJson, type Json } from "../shared/json.ts";
import type { Entry, UnsealedEntry } from "./entry.ts";

/** A note kept outside the log: entry `seq` existed, with this hash. */
export interface Anchor {
  readonly seq: number;
  readonly hash: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly entries: number;
  readonly first_bad: number | null;
  readonly reason: string | null;
}

/** HMAC-SHA-256 of UTF-8 text with the log's key, in lower-case hexadecimal. */
export type ChainKey = (text: string) => string;

export interface ChainContext {
  readonly key: ChainKey;
  readonly logId: string;
}

/** The `prev` of a log's first entry. It binds the chain to its log, so two logs with the same key cannot be mixed. */
export function genesisHash({ key, logId }: ChainContext): string {
  return key(`sallyport log ${logId}`);
}

export function sealEntry(entry: UnsealedEntry, key: ChainKey): Entry {
  return { ...entry, hash: entryHash(entry, key) };
}

/** SECURITY(T18): reads the log once, in order, and keeps nothing of it. */
export function verifyChain(entries: Iterable<Entry>, context: ChainContext, anchors: readonly Anchor[]): Verification {
  const anchored = new Map(anchors.map((anchor) => [anchor.seq, anchor.hash]));
  let previous = genesisHash(context);
  let count = 0;
  let bad: { seq: number; reason: string } | undefined;
  for (const entry of entries) {
    count += 1;
    if (bad !== undefined) continue;
    const reason = flawOf(entry, count, previous, context.key) ?? anchorFlaw(entry, anchored);
    // A gap is reported by the first missing number, every other problem by the number of the entry.
    if (reason !== undefined) bad = { seq: Math.min(count, entry.seq), reason };
    previous = entry.hash;
  }
  bad ??= missingEnd(count, anchors);
  return { ok: bad === undefined, entries: count, first_bad: bad?.seq ?? null, reason: bad?.reason ?? null };
}

function flawOf(entry: Entry, expected: number, previous: string, key: ChainKey): string | undefined {
  if (entry.seq !== expected)
    return entry.seq > expected ? `entry ${expected} is missing` : `entry ${entry.seq} does not belong here`;
  if (entry.prev !== previous) return `entry ${expected} does not follow the one before it`;
  if (!hasOwnHash(entry, key)) return `entry ${expected} was changed, or not written with this key`;
  if (entry.event === "audit.cut") return `entry ${expected} records that the end of the log had been cut or replaced`;
  return undefined;
}

function anchorFlaw(entry: Entry, anchored: ReadonlyMap<number, string>): string | undefined {
  const hash = anchored.get(entry.seq);
  if (hash === undefined || hash === entry.hash) return undefined;
  return `the end of the log was replaced: entry ${entry.seq} is not the one that was written`;
}

function missingEnd(count: number, anchors: readonly Anchor[]): { seq: number; reason: string } | undefined {
  const last = anchors.reduce((most, anchor) => Math.max(most, anchor.seq), 0);
  if (last <= count) return undefined;
  return { seq: count + 1, reason: `the end of the log was cut: ${last} entries were written, ${count} are there` };
}

function hasOwnHash(entry: Entry, key: ChainKey): boolean {
  const { hash, ...rest } = entry;
  try {
    return entryHash(rest, key) === hash;
  } catch {
    return false; // not JSON any more: someone wrote it who is not us
  }
}

function entryHash(entry: UnsealedEntry, key: ChainKey): string {
  return key(canonicalJson(entry as unknown as Json));
}
