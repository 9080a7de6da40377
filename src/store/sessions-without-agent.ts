// Sessions that an earlier version kept under their name alone, and whose agent is unknown. They are kept, and no agent sees them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isWithoutAgent } from "./session-keys.ts";

const keys: readonly (readonly [file: string, query: string])[] = [
  ["workspaces.sqlite", "SELECT name AS key FROM sessions"],
  ["staged.sqlite", "SELECT session AS key FROM commits UNION SELECT session FROM pulled_layers"],
];

/** Returns their names and changes nothing. A file that cannot be read counts as having none. */
export function sessionsWithoutAgent(stateDirectory: string): readonly string[] {
  const names = new Set<string>();
  for (const [file, query] of keys) for (const key of keysIn(join(stateDirectory, file), query)) names.add(nameOf(key));
  return [...names];
}

function keysIn(path: string, query: string): string[] {
  if (!existsSync(path)) return [];
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const found = database.prepare(query).all();
    return found.map((row) => String(row["key"])).filter(isWithoutAgent);
  } catch {
    return [];
  } finally {
    database?.close();
  }
}

function nameOf(key: string): string {
  return String((JSON.parse(key) as readonly unknown[])[1]);
}
