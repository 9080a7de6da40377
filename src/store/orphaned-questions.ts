// Questions whose session ends with the gate that asked: with the process that they belong to, and how they are
// withdrawn. Once that session has ended nobody can come for an answer.

import type { DatabaseSync } from "node:sqlite";
import type { Question } from "../approval/approver.ts";
import { type Holder, isAlive } from "./holder.ts";
import { inTransaction } from "./transaction.ts";

type Row = Record<string, unknown>;

export interface OrphanedQuestions {
  /** What stands in the row of a question: null where its session lasts. */
  ownerOf(question: Question): string | null;
  /** Says of a row whether its answer was not used and never will be. Each process is looked at once. */
  check(): (row: Row) => boolean;
  /** How many rows were withdrawn, of the session of that key. null: those whose process is gone. */
  withdraw(session: string | null, record: (row: Row) => void): number;
}

/** Stands for the owner of what was withdrawn. */
const ended = "ended";

export function openOrphanedQuestions(database: DatabaseSync, self: Holder, now: () => number): OrphanedQuestions {
  const unused = "owner IS NOT NULL AND used = 0 AND expires_at > ?";
  const owners = database.prepare(`SELECT DISTINCT owner FROM questions WHERE ${unused}`);
  const byOwner = database.prepare(`SELECT * FROM questions WHERE owner = ? AND used = 0 AND expires_at > ?`);
  const bySession = database.prepare(`SELECT * FROM questions WHERE session = ? AND ${unused}`);
  const end = database.prepare(`UPDATE questions SET owner = '${ended}', expires_at = ? WHERE id = ?`);
  const ownerText = JSON.stringify(self);

  const isGone = (owner: unknown): boolean =>
    owner !== ownerText && (owner === ended || !isAlive(JSON.parse(String(owner)) as Holder, self));
  const found = (session: string | null): Row[] =>
    session !== null
      ? bySession.all(session, now())
      : owners
          .all(now())
          .filter(({ owner }) => isGone(owner))
          .flatMap(({ owner }) => byOwner.all(String(owner), now()));

  return {
    ownerOf: ({ endsWithGate }) => (endsWithGate === true ? ownerText : null),
    check() {
      const known = new Map<unknown, boolean>();
      return ({ owner, used }) => {
        if (owner === null || used !== 0) return false;
        const isOrphan = known.get(owner) ?? isGone(owner);
        known.set(owner, isOrphan);
        return isOrphan;
      };
    },
    withdraw(session, record) {
      // Most often there are none: then nobody is held up.
      if (found(session).length === 0) return 0;
      return inTransaction(database, () => {
        const rows = found(session);
        for (const row of rows) {
          if (row["answer"] === null) record(row);
          end.run(now(), String(row["id"]));
        }
        return rows.length;
      });
    },
  };
}
