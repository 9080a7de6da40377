// Records what a person looked at when they answered about a push, so that the next push of the same work can say what is new.
// Invariant: one record for each session and target, and a limit for all of them. The oldest is dropped first.

import type { Database } from "./database.ts";
import type { LookedTarget } from "../git/staged.ts";

export const lookedTable = `
  CREATE TABLE IF NOT EXISTS looked (
    number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, target TEXT NOT NULL, files TEXT NOT NULL,
    UNIQUE (session, target)
  ) STRICT;
`;

const IN_ALL = 1_000;

export class LookedPushes {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = {
      add: database.prepare("INSERT OR REPLACE INTO looked (session, target, files) VALUES (?, ?, ?)"),
      keep: database.prepare("DELETE FROM looked WHERE number <= ?"),
      one: database.prepare("SELECT files FROM looked WHERE session = ? AND target = ?"),
    };
  }

  /** Call it in a transaction. */
  add(session: string, target: LookedTarget, files: readonly string[]): void {
    const { lastInsertRowid } = this.#statements.add.run(session, keyOf(target), JSON.stringify(files));
    this.#statements.keep.run(Number(lastInsertRowid) - IN_ALL);
  }

  find(session: string, target: LookedTarget): ReadonlySet<string> | null {
    const row = this.#statements.one.get(session, keyOf(target));
    return row === undefined ? null : new Set(JSON.parse(String(row["files"])) as string[]);
  }
}

const keyOf = ({ place, branch }: LookedTarget): string => JSON.stringify([place, branch]);
