// The part of a schema that plain data can say, and a quick check of values against it. The schema library takes longer to load
// than a whole call needs otherwise, so it is asked only about values that the quick check does not accept.
// Invariant: `fit` accepts only what the schema accepts, with the same result. Null means "ask the schema", never "no".

import { utf8Length } from "./bytes.ts";
import { limits } from "./limits.ts";

export type Shape =
  | { readonly kind: "text"; readonly bounds: Bounds; readonly patterns: readonly string[]; readonly rules: TextRule[] }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly bounds: Bounds }
  | { readonly kind: "boolean" }
  | { readonly kind: "words"; readonly words: readonly unknown[] }
  | { readonly kind: "list"; readonly item: Shape; readonly bounds: Bounds }
  | { readonly kind: "map"; readonly name: Shape; readonly item: Shape }
  | { readonly kind: "fields"; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly kind: "optional"; readonly item: Shape }
  /** `isChecked`: the default is itself an input, and may get defaults of its own. */
  | { readonly kind: "default"; readonly item: Shape; readonly value: unknown; readonly isChecked: boolean }
  | { readonly kind: "either"; readonly options: readonly Shape[] }
  /** Only the schema can tell. */
  | { readonly kind: "unknown" };

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** Rules about text that are code. A shape names them. */
export const textRules = {
  noNul: (text: string) => !text.includes("\0"),
  wellFormed: (text: string) => text.isWellFormed(),
  stdinLength: (text: string) => utf8Length(text) <= limits.stdinMaxBytes,
};

export type TextRule = keyof typeof textRules;

export interface Fitting {
  readonly value: unknown;
}

export function fit(shape: Shape, value: unknown): Fitting | null {
  switch (shape.kind) {
    case "text":
      return typeof value === "string" &&
        isWithin(value.length, shape.bounds) &&
        shape.patterns.every((pattern) => new RegExp(pattern).test(value)) &&
        shape.rules.every((rule) => textRules[rule](value))
        ? { value }
        : null;
    case "number":
      return (shape.isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
        isWithin(value as number, shape.bounds)
        ? { value }
        : null;
    case "boolean":
      return typeof value === "boolean" ? { value } : null;
    case "words":
      return shape.words.includes(value) ? { value } : null;
    case "list":
      return fitList(shape.item, shape.bounds, value);
    case "map":
      return fitMap(shape.name, shape.item, value);
    case "fields":
      return fitFields(shape.fields, value);
    case "optional":
      return value === undefined ? { value } : fit(shape.item, value);
    case "default":
      if (value !== undefined) return fit(shape.item, value);
      return shape.isChecked ? fit(shape.item, shape.value) : { value: structuredClone(shape.value) };
    case "either":
      return firstFitting(shape.options, value);
    case "unknown":
      return null;
  }
}

function isWithin(size: number, { min, max }: Bounds): boolean {
  return (min === undefined || size >= min) && (max === undefined || size <= max);
}

function firstFitting(options: readonly Shape[], value: unknown): Fitting | null {
  for (const option of options) {
    const fitting = fit(option, value);
    if (fitting !== null) return fitting;
  }
  return null;
}

function fitList(item: Shape, bounds: Bounds, value: unknown): Fitting | null {
  if (!Array.isArray(value) || !isWithin(value.length, bounds)) return null;
  const list: unknown[] = [];
  for (const one of value as unknown[]) {
    const fitting = fit(item, one);
    if (fitting === null) return null;
    list.push(fitting.value);
  }
  return { value: list };
}

function fitMap(name: Shape, item: Shape, value: unknown): Fitting | null {
  if (!isPlainObject(value)) return null;
  const map: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value)) {
    const fitting = key === "__proto__" || fit(name, key) === null ? null : fit(item, one);
    if (fitting === null) return null;
    map[key] = fitting.value;
  }
  return { value: map };
}

function fitFields(fields: Readonly<Record<string, Shape>>, value: unknown): Fitting | null {
  if (!isPlainObject(value) || !Object.keys(value).every((key) => Object.hasOwn(fields, key))) return null;
  const filled: Record<string, unknown> = {};
  for (const [key, shape] of Object.entries(fields)) {
    const isWritten = Object.hasOwn(value, key);
    const fitting = fit(shape, isWritten ? value[key] : undefined);
    if (fitting === null) return null;
    if (isWritten || fitting.value !== undefined) filled[key] = fitting.value;
  }
  return { value: filled };
}

/** Others (a class, a map, a getter's object) are for the schema to judge. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
