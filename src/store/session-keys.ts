// Tables of earlier versions have a session's name where now its key stands: each row gets the key of the agent that it
// belongs to, once.

import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { sessionKey } from "../shared/session-id.ts";
import { inTransaction } from "./transaction.ts";

/** Whose a session of that name was. null: nobody knows. */
export type AgentOf = (session: string) => string | null;

/** The agent of what is nobody's: no agent has this name. */
const nobody = "";

/** A row that says itself whose it is. */
export interface OwnedRows {
  readonly agent: string;
  readonly name: string;
  /** Which rows, of the tables with these columns. */
  readonly rows: readonly { readonly table: string; readonly column: string; readonly value: string }[];
}

export interface Keying {
  readonly owned?: () => readonly OwnedRows[];
  /** What else is made of the keys. */
  readonly after?: () => void;
}

/** `columns`: where the name stands, as `table.column`; `owned`: what needs no record to tell its agent. */
export function keySessions(
  database: DatabaseSync,
  columns: readonly string[],
  agentOf: AgentOf,
  { owned = () => [], after = () => undefined }: Keying = {},
): void {
  if (isKeyed(database)) return;
  inTransaction(database, () => {
    // Another process may have been quicker.
    if (isKeyed(database)) return;
    const places = columns.map((place) => place.split(".") as [table: string, column: string]);
    const names = new Set<string>();
    for (const [table, column] of places)
      for (const row of database.prepare(`SELECT DISTINCT ${column} AS name FROM ${table}`).all())
        names.add(String(row["name"]));
    // All names are known before the first is changed: a name may look like a key.
    const keys = [...names].map((name) => [name, sessionKey({ agent: agentOf(name) ?? nobody, name })] as const);
    const given = new Set(keys.map(([, key]) => key));
    for (const { agent, name, rows } of owned()) {
      const key = sessionKey({ agent, name });
      given.add(key);
      for (const { table, column, value } of rows)
        database
          .prepare(`UPDATE ${table} SET session = ? WHERE session = ? AND ${column} = ?`)
          .run(`\0${key}`, name, value);
    }
    const replace = (from: string, to: string) => {
      for (const [table, column] of places)
        database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(to, from);
    };
    for (const [name, key] of keys) replace(name, `\0${key}`);
    for (const key of given) replace(`\0${key}`, key);
    after();
    database.exec("PRAGMA user_version = 1");
  });
}

/** Of rows with this key, nobody knew whose they were. */
export function isWithoutAgent(key: string): boolean {
  return key.startsWith(`${JSON.stringify([nobody]).slice(0, -1)},`);
}

/**
 * Whether the file is to be opened for that, from its first bytes, where sqlite keeps `user_version`: opening costs more than
 * most calls. What is still in the log beside it is not seen, and then the file is opened.
 */
export function mayNeedKeys(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const header = Buffer.alloc(64);
  const file = openSync(path, "r");
  try {
    return readSync(file, header, 0, 64, 0) < 64 || header.readUInt32BE(60) < 1;
  } finally {
    closeSync(file);
  }
}

function isKeyed(database: DatabaseSync): boolean {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]) >= 1;
}
