// What the gate of this browser keeps between its starts: the person's settings, and which draft is open. No secrets.

import type { ModelSettings, OpenRequest, StorageDamage, WorkSettings } from "../../src/web/api-work.ts";
import type { Database } from "../../src/store/database.ts";

export const keptTable = "CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;";

export interface KeptSettings extends Omit<WorkSettings, "model"> {
  readonly model: Omit<ModelSettings, "hasKey"> | null;
}

/** `commit` is null until all files of it were pulled. */
export interface KeptDraft extends OpenRequest {
  readonly session: string;
  readonly commit: string | null;
  readonly githubUrl: string;
}

export interface KeptAccount {
  readonly login: string;
  readonly id: number;
  readonly name: string;
}

interface KeptValues {
  readonly settings: KeptSettings;
  readonly draft: KeptDraft | null;
  readonly account: KeptAccount | null;
  /** False: nothing was stored before this start. */
  readonly hasBegun: boolean;
  /** What was found wrong, and the last that the person has read. */
  readonly damage: StorageDamage | null;
  readonly readDamage: StorageDamage | null;
}

const initial: KeptValues = {
  settings: { clientId: null, githubUrl: "https://github.com", model: null },
  draft: null,
  account: null,
  hasBegun: false,
  damage: null,
  readDamage: null,
};

export class Kept {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read<Name extends keyof KeptValues>(name: Name): KeptValues[Name] {
    const row = this.#database.prepare("SELECT value FROM kept WHERE name = ?").get(name);
    return row === undefined ? initial[name] : (JSON.parse(String(row["value"])) as KeptValues[Name]);
  }

  /** It is stored when this returns. */
  keep<Name extends keyof KeptValues>(name: Name, value: KeptValues[Name]): void {
    this.#database
      .prepare("INSERT INTO kept VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
      .run(name, JSON.stringify(value));
  }

  close(): void {
    this.#database.close();
  }
}
