// One text for one value: keys sorted by code unit, no white space. Digests and the log's chain are made of it.
// Invariant: two values are the same action, or the same entry, exactly when their canonical texts are equal.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") {
    if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  if (isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${fields.join(",")}}`;
}

// Array.isArray does not narrow readonly arrays.
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
