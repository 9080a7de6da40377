// Reads a shape off a schema. What a shape cannot say becomes "unknown", so that the schema itself is asked.

import type { z } from "zod";
import { type Bounds, type Shape, type TextRule, textRules } from "./shape.ts";

const unknown: Shape = { kind: "unknown" };

export function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const checks = readChecks(def.checks ?? []);
  if (checks === null) return unknown;
  const { bounds, patterns, rules } = checks;
  const format: unknown = "format" in def ? def.format : undefined;
  if (def.type === "string" && format === undefined) return { kind: "text", bounds, patterns, rules };
  if (def.type === "number" && (format === undefined || format === "safeint"))
    return { kind: "number", isWhole: format === "safeint", bounds };
  if (def.type === "array") return { kind: "list", item: shapeOf(def.element), bounds };
  return (def.checks ?? []).length === 0 ? uncheckedShapeOf(def) : unknown;
}

function uncheckedShapeOf(def: z.core.$ZodTypes["_zod"]["def"]): Shape {
  if (def.type === "boolean") return { kind: "boolean" };
  if (def.type === "literal") return { kind: "words", words: def.values };
  if (def.type === "enum") return { kind: "words", words: Object.values(def.entries) };
  if (def.type === "record") return { kind: "map", name: shapeOf(def.keyType), item: shapeOf(def.valueType) };
  if (def.type === "optional") return { kind: "optional", item: shapeOf(def.innerType) };
  if (def.type === "default" || def.type === "prefault") {
    const isChecked = def.type === "prefault";
    return { kind: "default", item: shapeOf(def.innerType), value: def.defaultValue, isChecked };
  }
  if (def.type === "union") return eitherOf(def.options.map(shapeOf));
  if (def.type !== "object" || def.catchall?._zod.def.type !== "never") return unknown;
  const fields = Object.entries(def.shape).map(([key, field]) => [key, shapeOf(field)] as const);
  return { kind: "fields", fields: Object.fromEntries(fields) };
}

/** The first option that accepts a value counts, so each of them must be able to tell. */
function eitherOf(options: readonly Shape[]): Shape {
  return JSON.stringify(options).includes('"unknown"') ? unknown : { kind: "either", options };
}

interface Checks {
  readonly bounds: Bounds;
  readonly patterns: string[];
  readonly rules: TextRule[];
}

/** Null if one of them is none that a shape can say. */
function readChecks(checks: readonly z.core.$ZodCheck<never>[]): Checks | null {
  const bounds: { min?: number; max?: number } = {};
  const patterns: string[] = [];
  const rules: TextRule[] = [];
  const raise = (min: number) => (bounds.min = Math.max(min, bounds.min ?? min));
  const lower = (max: number) => (bounds.max = Math.min(max, bounds.max ?? max));
  for (const check of checks) {
    const def = check._zod.def as z.core.$ZodChecks["_zod"]["def"] | { check: "custom"; fn?: unknown };
    if (def.check === "min_length") raise(def.minimum);
    else if (def.check === "max_length") lower(def.maximum);
    else if (def.check === "greater_than" && def.inclusive && typeof def.value === "number") raise(def.value);
    else if (def.check === "less_than" && def.inclusive && typeof def.value === "number") lower(def.value);
    else if (def.check === "string_format" && def.format === "regex" && def.pattern?.flags === "")
      patterns.push(def.pattern.source);
    else if (def.check === "custom") {
      const known = Object.entries(textRules).find(([, rule]) => rule === ("fn" in def ? def.fn : undefined));
      if (known === undefined) return null;
      rules.push(known[0] as TextRule);
    } else return null;
  }
  return { bounds, patterns, rules };
}
