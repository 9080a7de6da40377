// Keeps the workspaces of named sessions in a separate SQLite file. The same bytes are stored once for all sessions.
// Invariant: a save is one transaction. A killed process leaves the last save complete. If two processes save the same
// session, each keeps the other's files, and for the same path the later save wins.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Database } from "./database.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { limits } from "../shared/limits.ts";
import { parseSessionKey, type SessionId, sessionKey } from "../shared/session-id.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { WorkspacePath } from "../workspace/path.ts";
import { type Change, type Usage, type WorkspaceLimits, workspaceLimits } from "../workspace/workspace.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { mayNeedKeys } from "./keyed-file.ts";
import { type AgentOf, keySessions } from "./session-keys.ts";
import { openDatabase } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";
import {
  changeOf,
  type FileRow,
  type Saving,
  type StoredSessionRow,
  WorkspaceRows,
  workspaceTables,
} from "./workspace-rows.ts";

export interface StoredWorkspace {
  /** Pass it to the first `save`. */
  readonly version: number;
  /** The changes that make the workspace from an empty one. */
  readonly changes: readonly Change[];
}

/** What other gates saved of a session since a version of it. */
export interface ForeignChanges {
  /** Without the paths that the same save changed itself. */
  readonly theirs: readonly Change[];
  /** True if `theirs` is everything in the store except what was just saved. Then deletions since that version are not known. */
  readonly isWhole: boolean;
}

export interface SavedWorkspace extends ForeignChanges {
  /** Pass it to the next `save`. */
  readonly version: number;
}

export interface StoredSession {
  /** The result of `sessionKey`. */
  readonly key: string;
  readonly files: number;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
}

/** A session that a person discarded. */
export interface SessionAside {
  readonly session: SessionId;
  /** Milliseconds since 1970. */
  readonly discardedAt: number;
}

export interface WorkspaceStore {
  /** Returns no changes for a session that was never saved. */
  load(session: SessionId): StoredWorkspace;
  /** `since` is the version of the last load or save. If there is no room, the whole save is refused. */
  save(session: SessionId, since: number, changes: readonly Change[]): Result<SavedWorkspace>;
  /** Whether a save without changes would change nothing: the session is kept, and nobody has saved it since. */
  isCurrent(session: SessionId, since: number): boolean;
  /** `since` is as for `save`. Nothing is written. */
  changesSince(session: SessionId, since: number): ForeignChanges;
  forget(session: SessionId): void;
  sessions(): readonly StoredSession[];
  close(): void;
}

/** With what a person discards. */
export interface KeptWorkspaces extends WorkspaceStore {
  /** Keeps the session under another key, which no session has. False if there is none. A gate that has it open begins an empty one. */
  setAside(session: SessionId, nowMs: number): boolean;
  /** Those that were set aside, the oldest first. */
  aside(): readonly SessionAside[];
  /** False if the session has files again, or it is gone. */
  takeBack(aside: SessionAside): boolean;
  /** Removes what was set aside before that time. */
  sweepAside(beforeMs: number): void;
}

export interface WorkspaceStoreOptions {
  readonly clock?: Clock;
  readonly limits?: WorkspaceLimits;
  /** The limit for all sessions together. */
  readonly totalBytes?: number;
  /** How many deletions of a session are remembered. */
  readonly goneMost?: number;
  /** The agents of sessions that an earlier version kept under their name alone. */
  readonly agentOf?: AgentOf;
}

/** Migrates sessions of an earlier version to keys now, before the record gets new entries. */
export function keyWorkspaces(stateDirectory: string, agentOf: AgentOf): void {
  if (mayNeedKeys(join(stateDirectory, "workspaces.sqlite"))) openWorkspaceStore(stateDirectory, { agentOf }).close();
}

export function openWorkspaceStore(stateDirectory: string, options: WorkspaceStoreOptions = {}): KeptWorkspaces {
  const path = join(stateDirectory, "workspaces.sqlite");
  openPrivateDirectory(stateDirectory, "state directory");
  openPrivateFile(path);
  const database = openDatabase(path, workspaceTables);
  keySessions(database, ["sessions.name"], options.agentOf ?? (() => null));
  return new SqliteWorkspaceStore(database, options);
}

class SqliteWorkspaceStore implements KeptWorkspaces {
  readonly #database: Database;
  readonly #rows: WorkspaceRows;
  readonly #clock: Clock;
  readonly #limits: WorkspaceLimits;
  readonly #totalBytes: number;
  readonly #goneMost: number;

  constructor(database: Database, options: WorkspaceStoreOptions) {
    this.#database = database;
    this.#rows = new WorkspaceRows(database);
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits ?? workspaceLimits;
    this.#totalBytes = options.totalBytes ?? limits.workspaceStoreBytes;
    this.#goneMost = options.goneMost ?? limits.workspaceFileCount;
  }

  load(id: SessionId): StoredWorkspace {
    return inTransaction(
      this.#database,
      () => {
        const session = this.#rows.session(sessionKey(id));
        const version = this.#rows.version();
        if (session === undefined) return { version, changes: [] };
        return { version, changes: this.#rows.files(session.id, -1, "live").map((row) => changeOf(row)) };
      },
      "read",
    );
  }

  save(id: SessionId, since: number, changes: readonly Change[]): Result<SavedWorkspace> {
    // Hashes outside the transaction, because other processes wait for it.
    const hashed = changes.map((change) => ({ change, hash: hashOf(change) }));
    try {
      return inTransaction(this.#database, () => this.#save(sessionKey(id), since, hashed));
    } catch (error) {
      if (error instanceof CapacityExceeded) return fail("tool_failed", error.message, { hint: error.hint });
      throw error;
    }
  }

  isCurrent(id: SessionId, since: number): boolean {
    const session = this.#rows.session(sessionKey(id));
    return session !== undefined && since >= session.forgotten && !this.#rows.hasChanged(session.id, since);
  }

  changesSince(id: SessionId, since: number): ForeignChanges {
    const session = this.#rows.session(sessionKey(id));
    return session === undefined ? { theirs: [], isWhole: false } : this.#foreign(session, since, new Set());
  }

  forget(id: SessionId): void {
    inTransaction(this.#database, () => {
      const session = this.#rows.session(sessionKey(id));
      if (session === undefined) return;
      this.#rows.removeSession(session.id);
      this.#rows.nextVersion(); // a gate that saved the old session is now behind
    });
  }

  setAside(id: SessionId, nowMs: number): boolean {
    return inTransaction(this.#database, () => this.#rename(sessionKey(id), asideKey(id, nowMs)));
  }

  aside(): readonly SessionAside[] {
    const found = this.#rows.sessions().flatMap(({ key }): SessionAside[] => {
      const [, at = "", rest = ""] = ASIDE.exec(key) ?? [];
      const session = parseSessionKey(rest);
      return session === null ? [] : [{ session, discardedAt: Number(at) }];
    });
    return found.sort((a, b) => a.discardedAt - b.discardedAt);
  }

  takeBack({ session, discardedAt }: SessionAside): boolean {
    return inTransaction(this.#database, () => {
      const key = sessionKey(session);
      const other = this.#rows.session(key);
      if (other !== undefined && other.files > 0) return false;
      if (other !== undefined) this.#rows.removeSession(other.id);
      return this.#rename(asideKey(session, discardedAt), key);
    });
  }

  sweepAside(beforeMs: number): void {
    for (const { session, discardedAt } of this.aside())
      if (discardedAt < beforeMs)
        inTransaction(this.#database, () => {
          const kept = this.#rows.session(asideKey(session, discardedAt));
          if (kept !== undefined) this.#rows.removeSession(kept.id);
        });
  }

  #rename(from: string, to: string): boolean {
    const session = this.#rows.session(from);
    if (session === undefined) return false;
    // A gate that has saved the session is behind now, and loads all of it again.
    this.#rows.renameSession(session.id, to, this.#rows.nextVersion());
    return true;
  }

  sessions(): readonly StoredSession[] {
    return this.#rows.sessions().filter(({ key }) => !ASIDE.test(key));
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #save(key: string, since: number, changes: readonly HashedChange[]): Result<SavedWorkspace> {
    const session = this.#rows.session(key) ?? this.#rows.addSession(key);
    const ours = new Set<WorkspacePath>(changes.map(({ change }) => change.path));
    const { id, files, bytes } = session;
    const saving: Saving = { session: id, version: this.#rows.nextVersion(), files, bytes };
    // Deletions come first, because a deleted file may become a directory.
    for (const { change } of changes) if (change.operation === "delete") this.#rows.markGone(saving, change.path);
    for (const { change, hash } of changes) {
      if (change.operation === "delete") continue;
      this.#rows.clearPath(saving, change.path);
      this.#rows.put(saving, change, hash);
    }
    this.#rows.forgetGone(session.id, this.#goneMost);
    this.#rows.endSaving(saving, this.#clock.now());
    this.#checkCapacity(session, saving);
    const { theirs, isWhole } = this.#foreign(session, since, ours, saving.version);
    return ok({ version: saving.version, theirs, isWhole });
  }

  #foreign(
    session: StoredSessionRow,
    since: number,
    ours: ReadonlySet<WorkspacePath>,
    version?: number,
  ): ForeignChanges {
    const isWhole = since < session.forgotten;
    const rows = this.#rows.files(session.id, isWhole ? -1 : since, isWhole ? "live" : "all", version);
    const theirs = rows.filter((row) => !ours.has(row.path as WorkspacePath));
    return { theirs: theirs.map((row: FileRow) => changeOf(row)), isWhole };
  }

  /** Uses SQLite's own counts, which cost nothing. If a limit is exceeded, the whole transaction is rolled back. */
  #checkCapacity(before: Usage, after: Usage): void {
    const hint = "Delete what is no longer needed, or forget a session.";
    if (after.files > this.#limits.fileCount && after.files > before.files)
      throw new CapacityExceeded(
        `The session would have ${after.files} files; it may have ${this.#limits.fileCount}.`,
        hint,
      );
    if (after.bytes > this.#limits.totalBytes && after.bytes > before.bytes)
      throw new CapacityExceeded(
        `The session would have ${after.bytes} bytes; it may have ${this.#limits.totalBytes}.`,
        hint,
      );
    if (after.bytes > before.bytes && this.#rows.bytesOnDisk() > this.#totalBytes)
      throw new CapacityExceeded(`The kept sessions would have more than ${this.#totalBytes} bytes together.`, hint);
  }
}

// A session's own key is a JSON array, so none begins with this word.
const ASIDE = /^discarded (\d{1,15}) (.+)$/s;

function asideKey(session: SessionId, at: number): string {
  return `discarded ${at} ${sessionKey(session)}`;
}

interface HashedChange {
  readonly change: Change;
  readonly hash: Uint8Array | null;
}

class CapacityExceeded extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

function hashOf(change: Change): Uint8Array | null {
  return change.operation === "write" ? createHash("sha256").update(change.bytes).digest() : null;
}
