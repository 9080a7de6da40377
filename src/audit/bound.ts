// Bounds the size of an entry: long strings lose their middle, long lists their end.
// Invariant: every cut is stated, with the size and the SHA-256 of the whole value.

import { utf8Length } from "../shared/bytes.ts";
import type { Hashes } from "../shared/hash.ts";
import { canonicalJson, type Json } from "../shared/json.ts";
import { limits } from "../shared/limits.ts";
import { safeJson } from "./entry.ts";
import { setKey } from "./to-json.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const keyBytes = 256;
const leastBytes = 256; // less room than this is not worth a value: the rest of the list is left out instead

/** Cuts each string that is too long, and then the whole value to `budget` bytes of JSON. */
export function bound(value: Json, budget: number, hashes: Hashes): Json {
  return fit(boundStrings(value, hashes), budget, hashes);
}

/** The text, or its two ends around a statement of what is missing, at most about `maxBytes` long. */
export function cutString(text: string, maxBytes: number, hashes: Hashes): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  const kept = Math.max(0, maxBytes - 128);
  const headEnd = characterStart(bytes, Math.floor((kept * 2) / 3));
  const tailStart = characterStart(bytes, bytes.length - Math.floor(kept / 3));
  const statement = `[${tailStart - headEnd} bytes left out, sha256 of the whole: ${hashes.hex("sha256", bytes)}]`;
  return decoder.decode(bytes.subarray(0, headEnd)) + statement + decoder.decode(bytes.subarray(tailStart));
}

function boundStrings(value: Json, hashes: Hashes): Json {
  if (typeof value === "string") return cutString(value, limits.auditStringBytes, hashes);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item) => boundStrings(item, hashes));
  const fields: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value))
    setKey(fields, cutString(key, keyBytes, hashes), boundStrings(field, hashes));
  return fields;
}

function fit(value: Json, budget: number, hashes: Hashes): Json {
  if (sizeOf(value) <= budget) return value;
  if (typeof value === "string") return fitString(value, budget, hashes);
  if (value === null || typeof value !== "object") return value;
  return isList(value) ? fitList(value, budget, hashes) : fitFields(value, budget, hashes);
}

function fitString(text: string, budget: number, hashes: Hashes): string {
  let left = budget;
  let kept = cutString(text, left, hashes);
  // An escaped character can take six bytes.
  for (let size = sizeOf(kept); size > budget && left > 128; size = sizeOf(kept)) {
    left = Math.max(128, Math.min(left - 16, Math.floor((left * budget) / size)));
    kept = cutString(text, left, hashes);
  }
  return kept;
}

function fitList(items: readonly Json[], budget: number, hashes: Hashes): Json {
  const sizes = items.map((item) => sizeOf(item) + 1);
  const level = waterLevel(sizes, budget - 2);
  if (level >= leastBytes) return items.map((item) => fit(item, level - 1, hashes));
  const count = prefixLength(sizes, budget - leastBytes);
  const rest = `[${items.length - count} more items left out, ${statement(items, hashes)}]`;
  return [...items.slice(0, count).map((item) => fit(item, leastBytes - 1, hashes)), rest];
}

function fitFields(value: { readonly [key: string]: Json }, budget: number, hashes: Hashes): Json {
  const keys = Object.keys(value);
  const overheads = keys.map((key) => sizeOf(key) + 2);
  const sizes = keys.map((key, index) => sizeOf(value[key] as Json) + (overheads[index] as number));
  const widest = overheads.reduce((most, size) => Math.max(most, size), 0);
  const level = waterLevel(sizes, budget - 2);
  const isEnough = level >= leastBytes + widest;
  const count = isEnough ? keys.length : prefixLength(sizes, budget - leastBytes);
  const fields: Record<string, Json> = {};
  for (const [index, key] of keys.slice(0, count).entries()) {
    const left = isEnough ? level - (overheads[index] as number) : leastBytes;
    setKey(fields, key, fit(value[key] as Json, left, hashes));
  }
  if (!isEnough)
    setKey(fields, "[left out]", `[${keys.length - count} more fields left out, ${statement(value, hashes)}]`);
  return fields;
}

// The largest share that each item may have if items that need less leave the rest to the others.
function waterLevel(sizes: readonly number[], budget: number): number {
  const ascending = sizes.toSorted((left, right) => left - right);
  let left = budget;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return budget;
}

function prefixLength(sizes: readonly number[], budget: number): number {
  let used = 0;
  for (const [index, size] of sizes.entries()) {
    used += Math.min(size, 3 * leastBytes);
    if (used > budget) return index;
  }
  return sizes.length;
}

function statement(value: Json, hashes: Hashes): string {
  const text = canonicalJson(value);
  return `${utf8Length(text)} bytes in all, sha256 of the whole: ${hashes.hex("sha256", text)}`;
}

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function sizeOf(value: Json): number {
  if (typeof value === "string" && plain.test(value)) return value.length + 2;
  return utf8Length(safeJson(value));
}

function characterStart(bytes: Uint8Array, index: number): number {
  let start = index;
  while (start > 0 && start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1;
  return start;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
