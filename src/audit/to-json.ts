// Converts any value from an agent or a program into JSON for the record.
// Invariant: it never throws and always ends. A value that JSON cannot express becomes a note in brackets.

import { toBase64 } from "../shared/bytes.ts";
import type { Json } from "../shared/json.ts";

const maxDepth = 64;
const maxNodes = 200_000; // ends values whose shared parts would multiply without end

interface Walk {
  readonly open: Set<object>;
  nodes: number;
}

export function toJson(value: unknown): Json {
  return convert(value, { open: new Set(), nodes: 0 }, 0);
}

/** Sets a key as plain data, `__proto__` included. */
export function setKey(target: Record<string, Json>, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function convert(value: unknown, walk: Walk, depth: number): Json {
  walk.nodes += 1;
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : `[number ${value}]`;
    case "bigint":
      return `[bigint ${value}]`;
    case "undefined":
      return null;
    case "function":
    case "symbol":
      return `[${typeof value}]`;
    case "object":
      return value === null ? null : convertObject(value, walk, depth);
  }
}

function convertObject(value: object, walk: Walk, depth: number): Json {
  if (walk.open.has(value)) return "[circular]";
  if (depth >= maxDepth) return `[nested deeper than ${maxDepth} levels]`;
  walk.open.add(value);
  try {
    if (value instanceof Uint8Array) return convertBytes(value);
    const own = replaced(value);
    if (own !== value) return convert(own, walk, depth + 1);
    if (Array.isArray(value)) return convertItems(value, value.length, walk, depth);
    if (value instanceof Map) return convertItems([...Map.prototype.entries.call(value)], value.size, walk, depth);
    if (value instanceof Set) return convertItems([...Set.prototype.values.call(value)], value.size, walk, depth);
    return convertFields(value, walk, depth);
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`;
  } finally {
    walk.open.delete(value);
  }
}

// Calls toJSON as JSON.stringify does, so that dates become text.
function replaced(value: object): unknown {
  const method: unknown = (value as { toJSON?: unknown }).toJSON;
  return typeof method === "function" ? method.call(value) : value;
}

function convertItems(items: readonly unknown[], length: number, walk: Walk, depth: number): Json[] {
  const converted: Json[] = [];
  for (let index = 0; index < length; index += 1) {
    if (walk.nodes >= maxNodes) {
      converted.push(`[${length - index} more items left out]`);
      break;
    }
    converted.push(reading(() => convert(items[index], walk, depth + 1)));
  }
  return converted;
}

function convertFields(value: object, walk: Walk, depth: number): Json {
  const fields = value as Record<string, unknown>;
  const keys = Object.keys(value);
  if (value instanceof Error) keys.unshift("name", "message");
  const converted: Record<string, Json> = {};
  for (const [index, key] of keys.entries()) {
    if (walk.nodes >= maxNodes) {
      setKey(converted, "[left out]", `[${keys.length - index} more fields left out]`);
      break;
    }
    let absent = false;
    const field = reading(() => {
      const read = fields[key];
      absent = read === undefined;
      return convert(read, walk, depth + 1);
    });
    if (!absent) setKey(converted, key, field);
  }
  return converted;
}

// Bytes that are valid text become text. Other bytes are also kept as base64, because text alone would lose them.
function convertBytes(bytes: Uint8Array): Json {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), base64: toBase64(bytes) };
  }
}

function reading(read: () => Json): Json {
  try {
    return read();
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`;
  }
}

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : "something was thrown";
  } catch {
    return "something was thrown";
  }
}
