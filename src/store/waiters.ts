// The calls that wait for an answer right now, each with its process: one that was killed waits no more.

import type { DatabaseSync } from "node:sqlite";
import { type Holder, isAlive } from "./holder.ts";
import { inTransaction } from "./transaction.ts";

export const waitersTable = `
  CREATE TABLE IF NOT EXISTS waiters (
    id INTEGER PRIMARY KEY AUTOINCREMENT, question TEXT NOT NULL,
    pid INTEGER NOT NULL, started TEXT NOT NULL, namespace TEXT NOT NULL, boot TEXT NOT NULL
  ) STRICT;
`;

export interface Waiters {
  add(question: string): { leave(): void };
  isAny(question: string): boolean;
}

export function openWaiters(database: DatabaseSync, self: Holder): Waiters {
  const insert = database.prepare(
    "INSERT INTO waiters (question, pid, started, namespace, boot) VALUES (?, ?, ?, ?, ?) RETURNING id",
  );
  const remove = database.prepare("DELETE FROM waiters WHERE id = ?");
  const all = database.prepare("SELECT * FROM waiters");
  const ofQuestion = database.prepare("SELECT DISTINCT pid, started, namespace, boot FROM waiters WHERE question = ?");
  return {
    add(question) {
      const { pid, started, namespace, boot } = self;
      const row = inTransaction(database, () => {
        for (const other of all.all() as unknown as (Holder & { id: number })[])
          if (!isAlive(other, self)) remove.run(other.id);
        return insert.get(question, pid, started, namespace, boot);
      });
      return {
        leave() {
          try {
            if (database.isOpen) remove.run(Number(row?.["id"]));
          } catch {
            // A store that is full or busy must not cost the call the answer that it has: the row ends with this process.
          }
        },
      };
    },
    isAny: (question) => (ofQuestion.all(question) as unknown as Holder[]).some((holder) => isAlive(holder, self)),
  };
}
