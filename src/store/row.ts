// Reads the columns of a row by name and checks their types. A row with other types was not written by the gate.

import type { SqlValue } from "./database.ts";

export type DatabaseRow = Readonly<Record<string, SqlValue>>;

type Kind = "text" | "text?" | "integer" | "integer?";
type Value<K extends Kind> = K extends "text"
  ? string
  : K extends "text?"
    ? string | null
    : K extends "integer"
      ? number
      : number | null;

export type RowOf<Columns extends Readonly<Record<string, Kind>>> = {
  readonly [Name in keyof Columns]: Value<Columns[Name]>;
};

export function readRow<const Columns extends Readonly<Record<string, Kind>>>(
  columns: Columns,
  row: DatabaseRow,
): RowOf<Columns> {
  for (const [name, kind] of Object.entries(columns)) {
    const value = row[name];
    const isFit =
      value === null ? kind.endsWith("?") : typeof value === (kind.startsWith("text") ? "string" : "number");
    if (!isFit)
      throw new TypeError(
        `The column ${name} of a row holds ${value === null ? "nothing" : typeof value}, not ${kind}.`,
      );
  }
  return row as RowOf<Columns>;
}
