// SQLite in WebAssembly as the stores use it: a file in the browser's private file system (OPFS), in a worker.
// It is opened by one worker at a time, so its lock is exclusive, and a WAL needs no shared memory.
// Invariant: what a statement has committed is flushed to the file when it returns, unless `PRAGMA synchronous` was lowered for it.

import type { Database, SqlValue, Statement } from "../store/database.ts";

/** What is used of `@sqlite.org/sqlite-wasm`. Whoever bundles it hands it in. */
export interface SqliteModule {
  readonly capi: {
    sqlite3_get_autocommit(database: unknown): number;
    sqlite3_last_insert_rowid(database: unknown): number | bigint;
  };
  installOpfsSAHPoolVfs(options: {
    readonly name: string;
    readonly directory: string;
    readonly initialCapacity: number;
  }): Promise<SqlitePool>;
}

export interface SqlitePool {
  readonly OpfsSAHPoolDb: new (path: string) => WasmConnection;
}

export interface WasmConnection {
  prepare(sql: string): WasmStatement;
  exec(sql: string): unknown;
  isOpen(): boolean;
  changes(): number | bigint;
  close(): void;
}

export interface WasmStatement {
  readonly parameterCount: number;
  readonly columnCount: number;
  bind(values: readonly SqlValue[]): unknown;
  step(): boolean;
  get(into: SqlValue[]): SqlValue[];
  getColumnNames(into: string[]): string[];
  reset(clearsValues: boolean): unknown;
  finalize(): unknown;
}

/** Four databases, each with its journal, and two more for what SQLite sorts on the disk. */
const CAPACITY = 10;

/** `directory`: in the private file system, such as `/sallyport/stores`. Nothing else may be in it. */
export async function openSqlitePool(sqlite: SqliteModule, directory: string): Promise<SqlitePool> {
  return await sqlite.installOpfsSAHPoolVfs({ name: `sallyport${directory}`, directory, initialCapacity: CAPACITY });
}

/**
 * `log`: a commit is one flush in place of three, and none where `synchronous` is `NORMAL`; for many small commits. `rollback`: a large commit
 * takes no room besides that of the database.
 */
export type JournalKind = "log" | "rollback";

/** A log of so many pages goes into the database. Chromium counts a file as large as it was until it is closed. */
const LOG_PAGES = 256;

const journals: Readonly<Record<JournalKind, string>> = {
  log: `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES};`,
  rollback: "PRAGMA journal_mode = PERSIST;",
};

/** `noteFull`: called when something could not be written, for which there may be no room. */
export function openWasmDatabase(
  sqlite: SqliteModule,
  pool: SqlitePool,
  path: string,
  schema: string,
  journal: JournalKind = "rollback",
  noteFull?: () => void,
): Database {
  const database = new WasmDatabase(sqlite, new pool.OpfsSAHPoolDb(path), noteFull);
  try {
    database.exec(
      `PRAGMA locking_mode = EXCLUSIVE; ${journals[journal]} PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 16777216;`,
    );
    database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** For a test as well, with a connection that is in memory. */
export class WasmDatabase implements Database {
  readonly #capi: SqliteModule["capi"];
  readonly #connection: WasmConnection;
  readonly #noteFull: (() => void) | undefined;
  /** By their text. WebAssembly frees nothing by itself, and the stores prepare the same statement again and again. */
  readonly #prepared = new Map<string, WasmStatement>();

  constructor({ capi }: { readonly capi: SqliteModule["capi"] }, connection: WasmConnection, noteFull?: () => void) {
    this.#capi = capi;
    this.#connection = connection;
    this.#noteFull = noteFull;
  }

  get isOpen(): boolean {
    return this.#connection.isOpen();
  }

  get isTransaction(): boolean {
    return this.isOpen && this.#capi.sqlite3_get_autocommit(this.#connection) === 0;
  }

  exec(sql: string): void {
    try {
      this.#connection.exec(sql);
    } catch (error) {
      this.#noteIfFull(error);
      throw error;
    }
  }

  prepare(sql: string): Statement {
    let asArrays = false;
    const rows = (values: readonly SqlValue[], most: number): unknown[] =>
      this.#with(sql, values, (statement) => {
        const names = asArrays ? [] : statement.getColumnNames([]);
        const found: unknown[] = [];
        while (found.length < most && statement.step()) {
          const row = statement.get([]);
          found.push(asArrays ? row : Object.fromEntries(names.map((name, at) => [name, row[at]])));
        }
        return found;
      });
    return {
      get: (...values) => rows(values, 1)[0] as Record<string, SqlValue> | undefined,
      all: (...values) => rows(values, Infinity) as Record<string, SqlValue>[],
      run: (...values) =>
        this.#with(sql, values, (statement) => {
          while (statement.step());
          const lastInsertRowid = this.#capi.sqlite3_last_insert_rowid(this.#connection);
          return { changes: Number(this.#connection.changes()), lastInsertRowid };
        }),
      setReturnArrays: (enabled) => void (asArrays = enabled),
    };
  }

  close(): void {
    for (const statement of this.#prepared.values()) statement.finalize();
    this.#prepared.clear();
    if (this.isOpen) this.#connection.close();
  }

  #with<T>(sql: string, values: readonly SqlValue[], work: (statement: WasmStatement) => T): T {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    try {
      if (statement.parameterCount > 0) statement.bind(values);
      return work(statement);
    } catch (error) {
      this.#noteIfFull(error);
      throw error;
    } finally {
      reset(statement);
    }
  }

  #noteIfFull(error: unknown): void {
    const { resultCode } = error as { readonly resultCode?: unknown };
    if (typeof resultCode === "number" && fullCodes.has(resultCode & 0xff)) this.#noteFull?.();
  }
}

/** `SQLITE_IOERR` and `SQLITE_FULL`: this VFS says the first for a write that the browser refuses. */
const fullCodes: ReadonlySet<number> = new Set([10, 13]);

/** Of a statement that has failed, resetting says the same once more. */
function reset(statement: WasmStatement): void {
  try {
    statement.reset(true);
  } catch {}
}
