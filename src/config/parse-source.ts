// Parses the text of a file into a value: JSON at once, everything else as YAML.

import { fileError } from "./config-error.ts";
import type { ParseResult, Source } from "./source.ts";
import { parseYamlSource } from "./yaml-source.ts";

export function parseSource(file: string | null, text: string): ParseResult {
  const json = parseJson(text);
  if (json === null) return parseYamlSource(file, text);
  const errorAt: Source["errorAt"] = (path, message, hint, at) => {
    const parsed = parseYamlSource(file, text);
    return parsed.ok ? parsed.source.errorAt(path, message, hint, at) : fileError(file, message, hint);
  };
  return { ok: true, source: { file, value: json.value, errorAt } };
}

/** Null if the text is no JSON object, or one that writes a key twice: of those JSON.parse silently keeps the last. */
function parseJson(text: string): { readonly value: unknown } | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    const writtenKeys = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "").split(":").length - 1;
    return writtenKeys === countKeys(value) ? { value } : null;
  } catch {
    return null;
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, one) => sum + countKeys(one), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}
