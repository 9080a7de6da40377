// What the stores need of SQLite. `node:sqlite` has it as it is; a browser's worker has SQLite in WebAssembly behind it.
// Everything is synchronous: what a method has written counts when it returns.

export type SqlValue = null | number | bigint | string | Uint8Array;

export interface Statement {
  get(...values: SqlValue[]): Record<string, SqlValue> | undefined;
  all(...values: SqlValue[]): Record<string, SqlValue>[];
  run(...values: SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  /** From then on rows are arrays, in the order of the columns. */
  setReturnArrays(enabled: boolean): void;
}

export interface Database {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}
