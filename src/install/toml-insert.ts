// Appends one table to a TOML file, and removes it again.
// Invariant: every other byte stays. The table is added only if the whole file was understood and nothing in it is
// about that table.

import type { Inserted } from "./jsonc-insert.ts";
import { scanToml } from "./toml-scan.ts";

export interface TomlEntry {
  /** [mcp_servers.sallyport] is ["mcp_servers", "sallyport"]. */
  readonly table: readonly [string, string];
  readonly values: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export function insertTomlTable(text: string, entry: TomlEntry): Inserted {
  const scanned = scanToml(text);
  if (!scanned.ok) return { state: "impossible", reason: `it is not TOML: line ${scanned.line}: ${scanned.reason}` };
  const [outer, inner] = entry.table;
  for (const { kind, path, isDotted } of scanned.statements) {
    if (path[0] !== outer) continue;
    if (path[1] === inner) return { state: "present", value: tomlSnippet(entry) };
    const isClosed = (path.length === 1 && kind !== "table") || kind === "list" || isDotted;
    if (isClosed) return { state: "impossible", reason: `${outer} is not written as tables that can be added to` };
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const isEmpty = text === "" || text === "\uFEFF";
  const gap = isEmpty ? "" : text.endsWith("\n") ? eol : eol + eol;
  return { state: "added", text: text + gap + block(entry, eol) };
}

/** Null if the table is not there as it was added. */
export function withoutTomlTable(text: string, entry: TomlEntry): string | null {
  const scanned = scanToml(text);
  if (!scanned.ok) return null;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const added = block(entry, eol);
  const at = scanned.statements.findIndex(
    ({ kind, path }) =>
      kind === "table" && path.length === 2 && path.every((part, index) => part === entry.table[index]),
  );
  const start = scanned.statements[at]?.start;
  if (start === undefined || !text.startsWith(added, start)) return null;
  const next = scanned.statements.slice(at + 1).find(({ start: other }) => other >= start + added.length);
  if (next !== undefined && next.kind === "pair") return null;
  const isSpaced = text.slice(0, start).endsWith(eol + eol);
  return text.slice(0, isSpaced ? start - eol.length : start) + text.slice(start + added.length);
}

export function tomlSnippet(entry: TomlEntry): string {
  return block(entry, "\n");
}

function block({ table, values }: TomlEntry, eol: string): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${tomlValue(value)}`);
  return [`[${table.join(".")}]`, ...lines, ""].join(eol);
}

function tomlValue(value: string | number | boolean | readonly string[]): string {
  if (typeof value === "object") return `[${value.map(tomlValue).join(", ")}]`;
  // A JSON string is a valid TOML string, except for one character.
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
