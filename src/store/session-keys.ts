// Migrates tables of earlier versions, which have a session's name where its key is now. Each row gets the key of its agent's
// session, once.

import type { Database } from "./database.ts";
import { sessionKey } from "../shared/session-id.ts";
import { inTransaction } from "./transaction.ts";

/** The agent of the session of that name; null if it is unknown. */
export type AgentOf = (session: string) => string | null;

/** Stands for an unknown agent. No agent has this name. */
const nobody = "";

/** Rows that name their agent themselves. */
export interface OwnedRows {
  readonly agent: string;
  readonly name: string;
  /** Selects the rows by table, column and value. */
  readonly rows: readonly { readonly table: string; readonly column: string; readonly value: string }[];
}

export interface Keying {
  readonly owned?: () => readonly OwnedRows[];
  /** Further changes that depend on the keys. */
  readonly after?: () => void;
}

/** `columns` names the columns with session names, as `table.column`. `owned` returns rows whose agent is known without the record. */
export function keySessions(
  database: Database,
  columns: readonly string[],
  agentOf: AgentOf,
  { owned = () => [], after = () => undefined }: Keying = {},
): void {
  if (isKeyed(database)) return;
  inTransaction(database, () => {
    // Another process may have migrated the file first.
    if (isKeyed(database)) return;
    const nameColumns = columns.map((place) => place.split(".") as [table: string, column: string]);
    const names = new Set<string>();
    for (const [table, column] of nameColumns)
      for (const row of database.prepare(`SELECT DISTINCT ${column} AS name FROM ${table}`).all())
        names.add(String(row["name"]));
    // All names are collected before the first is changed, because a name may look like a key.
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
      for (const [table, column] of nameColumns)
        database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(to, from);
    };
    for (const [name, key] of keys) replace(name, `\0${key}`);
    for (const key of given) replace(`\0${key}`, key);
    after();
    database.exec("PRAGMA user_version = 1");
  });
}

/** True if the key belongs to an unknown agent. */
export function isWithoutAgent(key: string): boolean {
  return key.startsWith(`${JSON.stringify([nobody]).slice(0, -1)},`);
}

function isKeyed(database: Database): boolean {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]) >= 1;
}
