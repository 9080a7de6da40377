// Tables of earlier versions have a session's name where now its key stands: each row gets the key of the agent that it
// belongs to, once.

import type { DatabaseSync } from "node:sqlite";
import { sessionKey } from "../shared/session-id.ts";
import { inTransaction } from "./transaction.ts";

/** Whose a session of that name was. null: nobody knows. */
export type AgentOf = (session: string) => string | null;

/** The agent of what is nobody's: no agent has this name. */
const nobody = "";

/** `columns`: where the name stands, as `table.column`. `after`: what else is made of the keys. */
export function keySessions(
  database: DatabaseSync,
  columns: readonly string[],
  agentOf: AgentOf,
  after: () => void = () => undefined,
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
    const replace = (from: string, to: string) => {
      for (const [table, column] of places)
        database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(to, from);
    };
    for (const [name, key] of keys) replace(name, `\0${key}`);
    for (const [, key] of keys) replace(`\0${key}`, key);
    after();
    database.exec("PRAGMA user_version = 1");
  });
}

function isKeyed(database: DatabaseSync): boolean {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]) >= 1;
}
