// Keeps the devices that a person has paired with `sallyport serve`, and the pairing that goes on, in a SQLite file of their own in
// the state directory.
// Invariant: only hashes of tokens are kept. A device that was removed is unknown to every process at once.

import { hash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PushSubscriber } from "../notify/channel.ts";
import type { Database } from "./database.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { addColumn } from "./add-column.ts";
import { type Allowance, allowances, type DeviceKind, deviceKinds } from "./device-kind.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { type DatabaseRow, readRow } from "./row.ts";
import { openDatabase } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";

/** What is known of a device that wants to be paired. */
export interface DeviceClaim {
  /** As the device calls itself: a claim. */
  readonly name: string;
  readonly kind: DeviceKind;
  /** The origin of the page that paired it. Requests that name another one are refused. */
  readonly origin: string;
  /** Where its requests come from; null if that is not known. */
  readonly address: string | null;
}

export interface NewDevice extends DeviceClaim {
  readonly id: string;
  readonly allowance: Allowance;
}

export interface Device extends NewDevice {
  /** Milliseconds since 1970. */
  readonly pairedAt: number;
  /** When it last sent a request, to the minute. `address` is of that time. */
  readonly seenAt: number;
}

export interface SubscribedDevice {
  readonly id: string;
  readonly subscriber: PushSubscriber;
}

const tables = `
  CREATE TABLE IF NOT EXISTS devices (
    id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL, allowance TEXT NOT NULL,
    origin TEXT NOT NULL, paired_at INTEGER NOT NULL, seen_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS pairing (
    one INTEGER PRIMARY KEY CHECK (one = 1), stage TEXT, version INTEGER NOT NULL
  ) STRICT;
`;

const columns = {
  id: "text",
  name: "text",
  kind: "text",
  allowance: "text",
  origin: "text",
  paired_at: "integer",
  seen_at: "integer",
  address: "text?",
} as const;

const fileName = "devices.sqlite";
const TOKEN_BYTES = 32;
const SEEN_EVERY_MS = 60_000;

export function hasDevices(stateDirectory: string): boolean {
  return existsSync(join(stateDirectory, fileName));
}

export class Devices {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(stateDirectory: string, clock: Clock = systemClock) {
    const path = join(stateDirectory, fileName);
    openPrivateDirectory(stateDirectory, "state directory");
    openPrivateFile(path);
    this.#database = openDatabase(path, tables);
    addColumn(this.#database, "devices", "address TEXT");
    addColumn(this.#database, "devices", "push TEXT");
    this.#clock = clock;
  }

  /** Returns the device's token, which is kept nowhere. */
  add({ id, name, kind, allowance, origin, address }: NewDevice): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const now = this.#clock.now();
    this.#database
      .prepare(
        `INSERT INTO devices (id, token_hash, name, kind, allowance, origin, paired_at, seen_at, address)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(id, hashOf(token), name, kind, allowance, origin, now, now, address);
    return token;
  }

  /** Undefined if no device has this token, or it was removed. Notes that the device was seen, and where: null if that is not known. */
  withToken(token: string, address: string | null = null): Device | undefined {
    // SECURITY(T81): a token is found by its hash, which nobody can search for piece by piece.
    const row = this.#database.prepare("SELECT * FROM devices WHERE token_hash = ?").get(hashOf(token));
    if (row === undefined) return undefined;
    const device = deviceOf(row);
    const now = this.#clock.now();
    if (now - device.seenAt >= SEEN_EVERY_MS || (address !== null && address !== device.address))
      this.#database
        .prepare("UPDATE devices SET seen_at = ?, address = coalesce(?, address) WHERE id = ?")
        .run(now, address, device.id);
    return device;
  }

  find(id: string): Device | undefined {
    const row = this.#database.prepare("SELECT * FROM devices WHERE id = ?").get(id);
    return row === undefined ? undefined : deviceOf(row);
  }

  /** The newest first. */
  list(): readonly Device[] {
    return this.#database.prepare("SELECT * FROM devices ORDER BY paired_at DESC, id").all().map(deviceOf);
  }

  /** False if there is none of that name. */
  remove(id: string): boolean {
    return this.#database.prepare("DELETE FROM devices WHERE id = ?").run(id).changes > 0;
  }

  /** In place of what the device had, and of the same browser's under another pairing. SECURITY(T112): it goes with the device. */
  subscribe(id: string, subscriber: PushSubscriber): void {
    inTransaction(this.#database, () => {
      this.#database.prepare("UPDATE devices SET push = NULL WHERE push ->> 'endpoint' = ?").run(subscriber.endpoint);
      this.#database.prepare("UPDATE devices SET push = ? WHERE id = ?").run(JSON.stringify(subscriber), id);
    });
  }

  /** `endpoint`: only if the device has this one still. */
  unsubscribe(id: string, endpoint: string | null = null): void {
    this.#database
      .prepare("UPDATE devices SET push = NULL WHERE id = ? AND (? IS NULL OR push ->> 'endpoint' = ?)")
      .run(id, endpoint, endpoint);
  }

  /** The devices that asked for notices. */
  subscribed(): readonly SubscribedDevice[] {
    return this.#database
      .prepare("SELECT id, push FROM devices WHERE push IS NOT NULL ORDER BY id")
      .all()
      .map((row) => {
        const { id, push } = readRow({ id: "text", push: "text" } as const, row);
        return { id, subscriber: JSON.parse(push) as PushSubscriber };
      });
  }

  /** Changes when a device is added or removed, or a pairing moves on, by any process. */
  version(): string {
    const ids = this.#database.prepare("SELECT coalesce(group_concat(id), '') AS ids FROM devices").get()?.["ids"];
    const pairing = this.#database.prepare("SELECT version FROM pairing").get()?.["version"];
    return `${Number(pairing ?? 0)} ${String(ids)}`;
  }

  /** What is kept of the pairing that goes on. Null if there is none. */
  pairing(): string | null {
    return (this.#database.prepare("SELECT stage FROM pairing").get()?.["stage"] ?? null) as string | null;
  }

  /** Nobody else changes the pairing meanwhile, in no process. If `change` throws, nothing is kept. */
  changePairing<T>(change: (keep: (stage: string | null) => void) => T): T {
    return inTransaction(this.#database, () =>
      change((stage) => {
        this.#database
          .prepare(
            `INSERT INTO pairing (one, stage, version) VALUES (1, ?, 1)
             ON CONFLICT (one) DO UPDATE SET stage = excluded.stage, version = version + 1`,
          )
          .run(stage);
      }),
    );
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

function hashOf(token: string): string {
  return hash("sha256", token);
}

function deviceOf(row: DatabaseRow): Device {
  const { id, name, kind, allowance, origin, address, paired_at: pairedAt, seen_at: seenAt } = readRow(columns, row);
  const known = deviceKinds.find((one) => one === kind);
  const allowed = allowances.find((one) => one === allowance);
  if (known === undefined || allowed === undefined)
    throw new TypeError(`The device ${id} is of a kind or has an allowance that this version does not know.`);
  return { id, name, kind: known, allowance: allowed, origin, address, pairedAt, seenAt };
}
