// Keeps the devices that a person has paired with `sallyport serve`, in a SQLite file of their own in the state directory.
// Invariant: only hashes of tokens are kept. A device that was removed is unknown to every process at once.

import { hash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "./database.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { type DatabaseRow, readRow } from "./row.ts";
import { openDatabase } from "./sqlite.ts";

/** What kind of program a device is, as it says of itself. */
export const deviceKinds = ["extension"] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/** What a device may do. All of it is what the page may, except letting in other devices. */
export const allowances = ["all"] as const;
export type Allowance = (typeof allowances)[number];

/** What is known of a device that wants to be paired. */
export interface DeviceClaim {
  /** As the device calls itself: a claim. */
  readonly name: string;
  readonly kind: DeviceKind;
  readonly allowance: Allowance;
  /** The origin of the page that paired it. Requests that name another one are refused. */
  readonly origin: string;
}

export interface NewDevice extends DeviceClaim {
  readonly id: string;
}

export interface Device extends NewDevice {
  /** Milliseconds since 1970. */
  readonly pairedAt: number;
  /** When it last sent a request, to the minute. */
  readonly seenAt: number;
}

const table = `
  CREATE TABLE IF NOT EXISTS devices (
    id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL, allowance TEXT NOT NULL,
    origin TEXT NOT NULL, paired_at INTEGER NOT NULL, seen_at INTEGER NOT NULL
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
    this.#database = openDatabase(path, table);
    this.#clock = clock;
  }

  /** Returns the device's token, which is kept nowhere. */
  add({ id, name, kind, allowance, origin }: NewDevice): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const now = this.#clock.now();
    this.#database
      .prepare("INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .run(id, hashOf(token), name, kind, allowance, origin, now, now);
    return token;
  }

  /** Undefined if no device has this token, or it was removed. Notes that the device was seen. */
  withToken(token: string): Device | undefined {
    // SECURITY(T81): a token is found by its hash, which nobody can search for piece by piece.
    const row = this.#database.prepare("SELECT * FROM devices WHERE token_hash = ?").get(hashOf(token));
    if (row === undefined) return undefined;
    const device = deviceOf(row);
    const now = this.#clock.now();
    if (now - device.seenAt >= SEEN_EVERY_MS)
      this.#database.prepare("UPDATE devices SET seen_at = ? WHERE id = ?").run(now, device.id);
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

  /** Changes when a device is added or removed, by any process. */
  version(): string {
    return String(this.#database.prepare("SELECT coalesce(group_concat(id), '') AS ids FROM devices").get()?.["ids"]);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

function hashOf(token: string): string {
  return hash("sha256", token);
}

function deviceOf(row: DatabaseRow): Device {
  const { id, name, kind, allowance, origin, paired_at: pairedAt, seen_at: seenAt } = readRow(columns, row);
  const known = deviceKinds.find((one) => one === kind);
  const allowed = allowances.find((one) => one === allowance);
  if (known === undefined || allowed === undefined)
    throw new TypeError(`The device ${id} is of a kind or has an allowance that this version does not know.`);
  return { id, name, kind: known, allowance: allowed, origin, pairedAt, seenAt };
}
