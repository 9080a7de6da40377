// Records which staged commits landed, and where: a repeated push finds its answer here. Also records landings that were
// begun: a push that was killed halfway finds what it has to repeat.
// Invariant: each session has its own records, up to a limit. The oldest is dropped first.

import type { Database } from "./database.ts";
import type { BegunLanding, LandedCommit } from "../git/staged.ts";

export const landedTable = `
  CREATE TABLE IF NOT EXISTS landed (
    number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, id TEXT NOT NULL, landed TEXT NOT NULL,
    UNIQUE (session, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS begun_landings (
    session TEXT NOT NULL, id TEXT NOT NULL, begun TEXT NOT NULL, PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;
`;

const PER_SESSION = 200;
/** For all sessions together. */
const IN_ALL = 10_000;

export class LandedCommits {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = {
      add: database.prepare("INSERT OR REPLACE INTO landed (session, id, landed) VALUES (?, ?, ?)"),
      all: database.prepare("SELECT landed FROM landed WHERE session = ? ORDER BY number DESC"),
      one: database.prepare("SELECT landed FROM landed WHERE session = ? AND id = ?"),
      keepOfSession: database.prepare(
        "DELETE FROM landed WHERE session = ?1 AND number <= (SELECT number FROM landed WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
      ),
      keep: database.prepare("DELETE FROM landed WHERE number <= ?"),
      begin: database.prepare("INSERT OR REPLACE INTO begun_landings VALUES (?, ?, ?)"),
      begun: database.prepare("SELECT begun FROM begun_landings WHERE session = ? AND id = ?"),
      end: database.prepare("DELETE FROM begun_landings WHERE session = ? AND id = ?"),
    };
  }

  begin(id: string, session: string, begun: BegunLanding): void {
    this.#statements.begin.run(session, id, JSON.stringify(begun));
  }

  begun(id: string, session: string): BegunLanding | undefined {
    const row = this.#statements.begun.get(session, id);
    return row === undefined ? undefined : (JSON.parse(String(row["begun"])) as BegunLanding);
  }

  /** The commit landed, or never will. */
  end(id: string, session: string): void {
    this.#statements.end.run(session, id);
  }

  /** Call it in a transaction. */
  add(id: string, session: string, landed: LandedCommit): void {
    const { lastInsertRowid } = this.#statements.add.run(session, id, JSON.stringify(landed));
    this.#statements.keepOfSession.run(session, PER_SESSION);
    this.#statements.keep.run(Number(lastInsertRowid) - IN_ALL);
  }

  tips(session: string): readonly string[] {
    return this.#statements.all
      .all(session)
      .flatMap((row) => (JSON.parse(String(row["landed"])) as LandedCommit).tip ?? []);
  }

  find(id: string, session: string): LandedCommit | undefined {
    const row = this.#statements.one.get(session, id);
    return row === undefined ? undefined : (JSON.parse(String(row["landed"])) as LandedCommit);
  }
}
