// Reads TypeScript as text: what a file imports, and its code without comments and without the insides of strings.
// Small on purpose. It knows strings, templates, comments and regular expressions, and nothing of types.

export interface Import {
  readonly from: string;
  /** True when the whole statement is `import type` or `export type`: nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

const token =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<template>`(?:[^`\\]|\\[\s\S])*`)|(?<before>[=(,:[!&|?{};+\n]\s*|\breturn\s+|=>\s*)(?<pattern>\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*)/g;

/** The source without comments. */
export function withoutComments(source: string): string {
  return source.replace(token, (match, comment?: string) => (comment === undefined ? match : " "));
}

/** The source without comments, insides of quoted strings and regular expressions. Templates stay: they hold code. */
export function codeOnly(source: string): string {
  return source.replace(token, (...parts: unknown[]) => {
    const found = parts.at(-1) as { comment?: string; text?: string; template?: string; before?: string };
    if (found.comment !== undefined) return " ";
    if (found.text !== undefined) return '""';
    return found.template ?? `${found.before ?? ""}/x/`;
  });
}

const statements = [
  /\b(?:import|export)\s+(?<type>type\s+)?(?:[\w$*{][\w$*{},\s]*?)\bfrom\s*["'](?<from>[^"']+)["']/g,
  /\b(?:import|export)\s+(?<type>type\s+)?\{[^}]*\}\s*from\s*["'](?<from>[^"']+)["']/g,
  /\bexport\s*\*\s*(?:as\s+\w+\s+)?from\s*["'](?<from>[^"']+)["']/g,
  /\bimport\s*["'](?<from>[^"']+)["']/g,
  /\b(?:import|require|getBuiltinModule)\s*\(\s*["'`](?<from>[^"'`]+)["'`]/g,
];

/** Every module a source names: static and dynamic imports, re-exports, require. */
export function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const found = new Map<string, Import>();
  for (const statement of statements) {
    for (const { groups } of code.matchAll(statement)) {
      const from = groups?.["from"] ?? "";
      const typeOnly = groups?.["type"] !== undefined && (found.get(from)?.typeOnly ?? true);
      found.set(from, { from, typeOnly });
    }
  }
  return [...found.values()];
}
