// Who watches the queue, and which calls wait for an answer now. Each row belongs to a member and is ignored once the member
// is gone.

import type { PageRole } from "../approval/shared-store.ts";
import type { Database } from "./database.ts";
import type { Leases, Member } from "./lease.ts";
import { readRow, type DatabaseRow } from "./row.ts";
import { inTransaction } from "./transaction.ts";

export const presenceTables = `
  CREATE TABLE IF NOT EXISTS watchers (
    id INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL,
    pid INTEGER NOT NULL, started TEXT NOT NULL, namespace TEXT NOT NULL, boot TEXT NOT NULL, url TEXT, lease TEXT,
    least INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS waiters (
    id INTEGER PRIMARY KEY AUTOINCREMENT, question TEXT NOT NULL,
    pid INTEGER NOT NULL, started TEXT NOT NULL, namespace TEXT NOT NULL, boot TEXT NOT NULL, lease TEXT
  ) STRICT;
`;

const memberColumns = { pid: "integer", started: "text", namespace: "text", boot: "text", lease: "text?" } as const;
const memberNames = Object.keys(memberColumns).join(", ");

export class PresenceTable {
  readonly #database: Database;
  readonly #leases: Leases;
  readonly #table: "watchers" | "waiters";

  constructor(database: Database, leases: Leases, table: "watchers" | "waiters") {
    this.#database = database;
    this.#leases = leases;
    this.#table = table;
  }

  /** Returns the number of the row. Also deletes the rows of members that are gone. */
  add(columns: Readonly<Record<string, string | number | null>>): number {
    const names = Object.keys(columns);
    const row = inTransaction(this.#database, () => {
      const { pid, started, namespace, boot, lease } = this.#leases.hold();
      for (const one of this.#database.prepare(`SELECT id, ${memberNames} FROM ${this.#table}`).all())
        if (!this.#leases.isAlive(memberOf(one))) this.#delete(Number(one["id"]));
      return this.#database
        .prepare(
          `INSERT INTO ${this.#table} (${[...names, memberNames].join(", ")})
          VALUES (${[...names, 1, 2, 3, 4, 5].map(() => "?").join(", ")}) RETURNING id`,
        )
        .get(...Object.values(columns), pid, started, namespace, boot, lease);
    });
    return Number(row?.["id"]);
  }

  /** A full or busy store must not make a call lose its answer. The row then ends with this member. */
  remove(id: number): void {
    try {
      if (this.#database.isOpen) this.#delete(id);
    } catch {}
  }

  isAny(condition: string, ...values: (string | number)[]): boolean {
    return this.#database
      .prepare(`SELECT DISTINCT ${memberNames} FROM ${this.#table} WHERE ${condition}`)
      .all(...values)
      .some((row) => this.#leases.isAlive(memberOf(row)));
  }

  /** The questions that calls wait for now. Each member is checked once. */
  questions(): ReadonlySet<string> {
    const known = new Map<string, boolean>();
    const rows = this.#database.prepare(`SELECT DISTINCT question, ${memberNames} FROM waiters`).all();
    const alive = rows.filter((row) => {
      const member = memberOf(row);
      const key = JSON.stringify(member);
      const isAlive = known.get(key) ?? this.#leases.isAlive(member);
      known.set(key, isAlive);
      return isAlive;
    });
    return new Set(alive.map((row) => String(row["question"])));
  }

  /** See `QuestionQueue.pages`. */
  urls(role: PageRole | null): readonly string[] {
    const rows = this.#database.prepare(
      `SELECT url, ${memberNames} FROM watchers WHERE url IS NOT NULL AND role = coalesce(?, role)
      ORDER BY role = 'run', iif(role = 'run', id, -id)`,
    );
    const alive = rows.all(role).filter((row) => this.#leases.isAlive(memberOf(row)));
    return [...new Set(alive.map((row) => readRow({ url: "text" }, row).url))];
  }

  #delete(id: number): void {
    this.#database.prepare(`DELETE FROM ${this.#table} WHERE id = ?`).run(id);
  }
}

function memberOf(row: DatabaseRow): Member {
  return readRow(memberColumns, row);
}
