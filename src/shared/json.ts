// One text for one value: keys sorted by code unit, no white space. Digests and the log's chain are made of it.
// Invariant: two values are the same action, or the same entry, exactly when their canonical texts are equal.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") {
    if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
    return typeof value === "string" ? quoted(value) : JSON.stringify(value);
  }
  let text = "";
  if (isArray(value)) {
    for (const item of value) text += text === "" ? canonicalJson(item) : `,${canonicalJson(item)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort())
    text += `${text === "" ? "" : ","}${quoted(key)}:${canonicalJson(value[key] as Json)}`;
  return `{${text}}`;
}

// Most texts need no escape, and finding that out is quicker than writing them anew.
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

// Array.isArray does not narrow readonly arrays.
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The fields of what may be an object, for reading what came from outside; of anything else none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
