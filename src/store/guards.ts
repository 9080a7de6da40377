// Keeps the guard ledger in a separate SQLite file, so that a call that makes its placeholders never blocks the record.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { GuardLedger, RemovePlaceholders } from "../sandbox/guard-ledger.ts";
import { type Holder, isAlive, thisProcess } from "./holder.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { openDatabase } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS holds (
    id INTEGER PRIMARY KEY AUTOINCREMENT, root TEXT NOT NULL,
    pid INTEGER NOT NULL, started TEXT NOT NULL, namespace TEXT NOT NULL, boot TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS placeholders (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS needs (path TEXT NOT NULL, hold INTEGER NOT NULL, PRIMARY KEY (path, hold)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS needs_by_hold ON needs (hold);
`;

export function openGuardLedger(stateDirectory: string): GuardLedger {
  const path = join(stateDirectory, "guards.sqlite");
  openPrivateDirectory(stateDirectory, "state directory");
  openPrivateFile(path);
  const database = openDatabase(path, schema);
  const self = thisProcess();
  const isBooked = database.prepare("SELECT 1 FROM placeholders WHERE path = ?");
  const addHold = database.prepare(
    "INSERT INTO holds (root, pid, started, namespace, boot) VALUES (?, ?, ?, ?, ?) RETURNING id",
  );
  const addPlaceholder = database.prepare("INSERT OR IGNORE INTO placeholders VALUES (?)");
  const addNeed = database.prepare("INSERT OR IGNORE INTO needs VALUES (?, ?)");

  return {
    hold(root, wanted) {
      return transaction(database, "FULL", () => {
        const paths = [...new Set(wanted)]
          .filter((wantedPath) => isBooked.get(wantedPath) !== undefined || isAbsent(wantedPath))
          .sort();
        const row = addHold.get(root, self.pid, self.started, self.namespace, self.boot);
        const id = Number(row?.["id"]);
        for (const booked of paths) {
          addPlaceholder.run(booked);
          addNeed.run(booked, id);
        }
        return { id, root, paths };
      });
    },
    release(hold, remove) {
      transaction(database, "NORMAL", () => {
        dropHold(database, hold.id);
        dropDeadHolds(database, self);
        removeUnneeded(database, remove);
      });
    },
    sweep(remove) {
      transaction(database, "NORMAL", () => {
        dropDeadHolds(database, self);
        removeUnneeded(database, remove);
      });
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

// `hold` waits for the disk: after a power cut, every placeholder must have its row. A row without a placeholder does no harm,
// so a release need not wait.
function transaction<T>(database: DatabaseSync, sync: "FULL" | "NORMAL", work: () => T): T {
  database.exec(`PRAGMA synchronous = ${sync}`);
  return inTransaction(database, work);
}

function dropHold(database: DatabaseSync, id: number): void {
  database.prepare("DELETE FROM needs WHERE hold = ?").run(id);
  database.prepare("DELETE FROM holds WHERE id = ?").run(id);
}

function dropDeadHolds(database: DatabaseSync, self: Holder): void {
  const holders = database
    .prepare("SELECT DISTINCT pid, started, namespace, boot FROM holds")
    .all() as unknown as Holder[];
  const same = "pid = ? AND started = ? AND namespace = ? AND boot = ?";
  for (const { pid, started, namespace, boot } of holders.filter((holder) => !isAlive(holder, self))) {
    const gone = [pid, started, namespace, boot];
    database.prepare(`DELETE FROM needs WHERE hold IN (SELECT id FROM holds WHERE ${same})`).run(...gone);
    database.prepare(`DELETE FROM holds WHERE ${same}`).run(...gone);
  }
}

// Removes placeholders from the disk while no other process can take a hold, and only then from the ledger.
function removeUnneeded(database: DatabaseSync, remove: RemovePlaceholders): void {
  const unneeded = "NOT EXISTS (SELECT 1 FROM needs WHERE needs.path = placeholders.path)";
  const rows = database.prepare(`SELECT path FROM placeholders WHERE ${unneeded} ORDER BY path DESC`).all();
  if (rows.length === 0) return;
  remove(rows.map((row) => String(row["path"])));
  database.exec(`DELETE FROM placeholders WHERE ${unneeded}`);
}

function isAbsent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
