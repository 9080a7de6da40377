// The tables of the stored workspaces. One counter numbers every save of every session, so that a session that was forgotten
// and made again is never mistaken for the old one.

import type { Database, SqlValue, Statement } from "./database.ts";
import { byteLength, parentsOf, parseWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { Change, LinkChange, WriteChange } from "../workspace/workspace.ts";
import type { StoredSession } from "./workspaces.ts";

export const workspaceTables = `
  CREATE TABLE IF NOT EXISTS counter (only INTEGER PRIMARY KEY CHECK (only = 1), version INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO counter VALUES (1, 0);
  CREATE TABLE IF NOT EXISTS sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, forgotten INTEGER NOT NULL,
    files INTEGER NOT NULL, bytes INTEGER NOT NULL, saved_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS blobs (hash BLOB PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS files (
    session INTEGER NOT NULL, path TEXT NOT NULL, version INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('file', 'link', 'gone')), size INTEGER NOT NULL,
    hash BLOB, target TEXT, executable INTEGER NOT NULL, PRIMARY KEY (session, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS files_by_version ON files (session, version);
  CREATE INDEX IF NOT EXISTS files_by_hash ON files (hash) WHERE hash IS NOT NULL;
  CREATE INDEX IF NOT EXISTS gone_by_version ON files (session, version) WHERE kind = 'gone';
`;

export interface FileRow {
  readonly path: string;
  readonly kind: "file" | "link" | "gone";
  readonly bytes: Uint8Array | null;
  readonly target: string | null;
  readonly executable: number;
}

export interface StoredSessionRow {
  readonly id: number;
  /** Deletions up to this version are forgotten. */
  readonly forgotten: number;
  readonly files: number;
  readonly bytes: number;
}

/** A save in progress. What it writes is added to the session's totals. */
export interface Saving {
  readonly session: number;
  readonly version: number;
  files: number;
  bytes: number;
}

type Row = Record<string, SqlValue>;

export class WorkspaceRows {
  readonly #prepare: (sql: string) => Statement;

  constructor(database: Database) {
    const statements = new Map<string, Statement>();
    this.#prepare = (sql) => {
      const known = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, known);
      return known;
    };
  }

  version(): number {
    return Number(this.#prepare("SELECT version FROM counter").get()?.["version"]);
  }

  nextVersion(): number {
    return Number(this.#prepare("UPDATE counter SET version = version + 1 RETURNING version").get()?.["version"]);
  }

  session(key: string): StoredSessionRow | undefined {
    const row = this.#prepare("SELECT id, forgotten, files, bytes FROM sessions WHERE name = ?").get(key);
    return row as unknown as StoredSessionRow | undefined;
  }

  addSession(key: string): StoredSessionRow {
    const forgotten = this.version();
    this.#prepare("INSERT INTO sessions (name, forgotten, files, bytes, saved_at) VALUES (?, ?, 0, 0, 0)").run(
      key,
      forgotten,
    );
    return this.session(key) as StoredSessionRow;
  }

  sessions(): StoredSession[] {
    const rows = this.#prepare(
      "SELECT name AS key, files, bytes, saved_at AS savedAt FROM sessions ORDER BY name",
    ).all();
    return rows as unknown as StoredSession[];
  }

  /** Whether a file was saved or deleted after a version. */
  hasChanged(session: number, after: number): boolean {
    const row = this.#prepare("SELECT 1 FROM files WHERE session = ? AND version > ? LIMIT 1").get(session, after);
    return row !== undefined;
  }

  /** The files that were saved after a version, without those that the save of version `own` wrote. */
  files(session: number, after: number, which: "live" | "all", own = -1): FileRow[] {
    const live = which === "live" ? "AND kind <> 'gone'" : "";
    const rows = this.#prepare(
      `SELECT path, kind, target, executable, blobs.bytes AS bytes FROM files LEFT JOIN blobs ON blobs.hash = files.hash
       WHERE session = ? AND version > ? AND (version <> ? OR kind = 'gone') ${live} ORDER BY path`,
    ).all(session, after, own);
    return rows as unknown as FileRow[];
  }

  /** An unchanged file keeps its version, because other gates have it already. */
  put(saving: Saving, change: WriteChange | LinkChange, hash: Uint8Array | null): void {
    const { session, version } = saving;
    const before = this.#at(session, change.path);
    const isFile = change.operation === "write";
    const kind = isFile ? "file" : "link";
    const size = isFile ? change.bytes.length : byteLength(change.target);
    const target = isFile ? null : change.target;
    const executable = isFile && change.executable ? 1 : 0;
    const isSameHash = hash === null || (before?.["hash"] instanceof Uint8Array && sameHash(before["hash"], hash));
    if (before?.["kind"] === kind && before["target"] === target && before["executable"] === executable && isSameHash)
      return;
    if (isFile && hash !== null) this.#prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?)").run(hash, change.bytes);
    const insert = this.#prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert.run(session, change.path, version, kind, size, hash, target, executable);
    saving.files += before === undefined || before["kind"] === "gone" ? 1 : 0;
    saving.bytes += size - Number(before?.["size"] ?? 0);
    this.#dropBlob(before?.["hash"]);
  }

  markGone(saving: Saving, path: string): void {
    const { session, version } = saving;
    const before = this.#at(session, path);
    if (before === undefined || before["kind"] === "gone") return;
    this.#prepare(
      `UPDATE files SET version = ?, kind = 'gone', size = 0, hash = NULL, target = NULL, executable = 0
       WHERE session = ? AND path = ?`,
    ).run(version, session, path);
    saving.files -= 1;
    saving.bytes -= Number(before["size"]);
    this.#dropBlob(before["hash"]);
  }

  /** Another gate may have made a file where this one has a directory, or the reverse. The later one stays. */
  clearPath(saving: Saving, path: WorkspacePath): void {
    for (const parent of parentsOf(path)) this.markGone(saving, parent);
    const below = this.#prepare(
      "SELECT path FROM files WHERE session = ? AND path > ? AND path < ? AND kind <> 'gone'",
    );
    for (const row of below.all(saving.session, `${path}/`, `${path}0`)) this.markGone(saving, String(row["path"]));
  }

  /** If there are more than `most` deletions, keeps only the latest, half of `most`. */
  forgetGone(session: number, most: number): void {
    const count = this.#prepare("SELECT count(*) AS count FROM files WHERE session = ? AND kind = 'gone'").get(session);
    if (Number(count?.["count"]) <= most) return;
    const last = this.#prepare(
      "SELECT version FROM files WHERE session = ? AND kind = 'gone' ORDER BY version DESC LIMIT 1 OFFSET ?",
    ).get(session, Math.floor(most / 2));
    const forgotten = Number(last?.["version"]);
    this.#prepare("DELETE FROM files WHERE session = ? AND kind = 'gone' AND version <= ?").run(session, forgotten);
    this.#prepare("UPDATE sessions SET forgotten = max(forgotten, ?) WHERE id = ?").run(forgotten, session);
  }

  endSaving({ session, files, bytes }: Saving, now: number): void {
    this.#prepare("UPDATE sessions SET files = ?, bytes = ?, saved_at = ? WHERE id = ?").run(
      files,
      bytes,
      now,
      session,
    );
  }

  /** Nobody has read the session under its new name up to this version. */
  renameSession(session: number, key: string, version: number): void {
    this.#prepare("UPDATE sessions SET name = ?, forgotten = ? WHERE id = ?").run(key, version, session);
  }

  removeSession(session: number): void {
    const hashes = this.#prepare("SELECT DISTINCT hash FROM files WHERE session = ? AND hash IS NOT NULL").all(session);
    this.#prepare("DELETE FROM files WHERE session = ?").run(session);
    for (const row of hashes) this.#dropBlob(row["hash"]);
    this.#prepare("DELETE FROM sessions WHERE id = ?").run(session);
  }

  bytesOnDisk(): number {
    const number = (name: string): number => Number(Object.values(this.#prepare(`PRAGMA ${name}`).get() as Row)[0]);
    return (number("page_count") - number("freelist_count")) * number("page_size");
  }

  #at(session: number, path: string): Row | undefined {
    return this.#prepare("SELECT kind, size, hash, target, executable FROM files WHERE session = ? AND path = ?").get(
      session,
      path,
    );
  }

  #dropBlob(hash: SqlValue | undefined): void {
    if (!(hash instanceof Uint8Array)) return;
    this.#prepare("DELETE FROM blobs WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM files WHERE hash = ?1)").run(hash);
  }
}

export function changeOf(row: FileRow): Change {
  const path = parseWorkspacePath(row.path);
  if (!path.ok) throw new Error(`The kept workspace has a path that none can have: ${path.failure.message}`);
  if (row.kind === "gone") return { operation: "delete", path: path.value };
  if (row.kind === "link" && row.target !== null) return { operation: "link", path: path.value, target: row.target };
  if (row.bytes === null) throw new Error(`The kept workspace has lost the content of ${path.value}.`);
  return { operation: "write", path: path.value, bytes: row.bytes, executable: row.executable === 1 };
}

function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
