// Reads and writes entries as table rows: one column a field, JSON for JSON fields. Reading is by pages, so that a listing of
// any length takes little memory and holds no lock.
// Invariant: a row that someone changed is still read and shown. Verifying the chain detects the change.

import type { Database, SqlValue } from "./database.ts";
import { type Entry, safeJson } from "../audit/entry.ts";
import type { EntryFilter } from "../audit/journal.ts";
import type { Json } from "../shared/json.ts";

export const entriesTable = `
  CREATE TABLE IF NOT EXISTS log (id TEXT NOT NULL, key_id TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY, time TEXT NOT NULL, session TEXT, agent TEXT, call_id TEXT, event TEXT NOT NULL, tool TEXT,
    args TEXT NOT NULL, digest TEXT, decision TEXT, because TEXT NOT NULL, outcome TEXT NOT NULL,
    prev TEXT NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS entries_by_call ON entries (call_id) WHERE call_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS entries_by_session ON entries (session) WHERE session IS NOT NULL;
  CREATE INDEX IF NOT EXISTS entries_by_tool ON entries (tool) WHERE tool IS NOT NULL;
  CREATE INDEX IF NOT EXISTS entries_by_event ON entries (event);
  CREATE INDEX IF NOT EXISTS entries_by_agent ON entries (agent) WHERE agent IS NOT NULL;
`;

/** The fields of a filter that have an index. */
const indexes = [
  ["call_id", "entries_by_call"],
  ["session", "entries_by_session"],
  ["tool", "entries_by_tool"],
  ["event", "entries_by_event"],
  ["agent", "entries_by_agent"],
] as const;

export const insertEntry = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

type Row = Record<string, SqlValue>;

const pageLength = 500;
/** The approximate duration of a search slice. Entries differ a hundredfold in size, so the number of entries in a slice adapts. */
const sliceMs = 2;
/** So many entries of an index are counted to choose one. */
const looked = 2_000;
const sliceLengths = { first: 32, most: 256 };

export function rowOf(entry: Entry): SqlValue[] {
  const { seq, time, session, agent, call_id, event, tool, args, digest, decision, because, outcome, prev, hash } =
    entry;
  const texts = [safeJson(args), digest, decision, safeJson(because), safeJson(outcome)];
  return [seq, time, session, agent, call_id, event, tool, ...texts, prev, hash];
}

export function entryOf(row: Row): Entry {
  const { seq, time, session, agent, call_id, event, tool, args, digest, decision, because, outcome, prev, hash } = row;
  const texts = { args: parsed(args), digest, decision, because: parsed(because), outcome: parsed(outcome) };
  return { seq, time, session, agent, call_id, event, tool, ...texts, prev, hash } as Entry;
}

export function* readEntries(database: Database, filter: EntryFilter, order: "newest" | "oldest"): Generator<Entry> {
  const { conditions, values } = conditionsOf(filter);
  const step = order === "newest" ? "seq < ?" : "seq > ?";
  const sql = `SELECT * FROM entries WHERE ${[...conditions, step].join(" AND ")}
    ORDER BY seq ${order === "newest" ? "DESC" : "ASC"} LIMIT ?`;
  const page = database.prepare(sql);
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  let position = order === "newest" ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
  while (left > 0) {
    const rows = page.all(...values, position, Math.min(left, pageLength)) as Row[];
    for (const row of rows) {
      position = Number(row["seq"]);
      yield entryOf(row);
    }
    if (rows.length < Math.min(left, pageLength)) return;
    left -= rows.length;
  }
}

/**
 * The matches, newest first, one slice of the log after another. A slice without matches takes no longer than others: it holds so many
 * entries of the log, or of an index if the filter names a value of one.
 */
export function* searchEntries(database: Database, filter: EntryFilter): Generator<Entry[]> {
  const { conditions, values } = conditionsOf(filter);
  const [field, index] = rarest(database, filter) ?? [null, null];
  const table = index === null ? "entries" : `entries INDEXED BY ${index}`;
  const [lead, leading] = field === null ? ["", []] : [`${field} = ? AND `, [filter[field] as string]];
  const slice = database.prepare(`SELECT min(seq) AS first, max(seq) AS last
    FROM (SELECT seq FROM ${table} WHERE ${lead}seq < ? AND seq > ? ORDER BY seq DESC LIMIT ?)`);
  const found = database.prepare(`SELECT * FROM ${table} WHERE ${["seq BETWEEN ? AND ?", ...conditions].join(" AND ")}
    ORDER BY seq DESC LIMIT ?`);
  const after = filter.after ?? Number.MIN_SAFE_INTEGER;
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  let position = filter.before ?? Number.MAX_SAFE_INTEGER;
  let length = sliceLengths.first;
  while (left > 0) {
    const began = performance.now();
    const { first = null, last = null } = slice.get(...leading, position, after, length) ?? {};
    if (first === null || last === null) return;
    position = Number(first);
    const rows = found.all(first, last, ...values, Math.min(left, length)) as Row[];
    const entries = rows.map(entryOf);
    left -= rows.length;
    const isSlow = performance.now() - began > sliceMs;
    length = isSlow ? Math.max(1, length >> 1) : Math.min(length * 2, sliceLengths.most);
    yield entries;
  }
}

/** The index in which the filter leaves the fewest entries, as far as a short look says. Null if it names no value of one. */
function rarest(database: Database, filter: EntryFilter): (typeof indexes)[number] | null {
  const named = indexes.filter(([name]) => filter[name] !== undefined);
  const counted = named.map((one) => {
    const [field, index] = one;
    const look = `SELECT count(*) AS count FROM (SELECT 1 FROM entries INDEXED BY ${index} WHERE ${field} = ? LIMIT ?)`;
    const count =
      named.length === 1 ? 0 : Number(database.prepare(look).get(filter[field] as string, looked)?.["count"]);
    return { one, count };
  });
  return counted.toSorted((a, b) => a.count - b.count)[0]?.one ?? null;
}

function conditionsOf(filter: EntryFilter): { conditions: string[]; values: SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...bound: (SqlValue | undefined)[]) => {
    if (bound.some((value) => value === undefined)) return;
    conditions.push(condition);
    values.push(...(bound as SqlValue[]));
  };
  add("session = ?", filter.session);
  add("agent = ?", filter.agent);
  add("tool = ?", filter.tool);
  add("event = ?", filter.event);
  add("call_id = ?", filter.call_id);
  add("time >= ?", filter.since);
  add("time < ?", filter.until);
  add("seq < ?", filter.before);
  add("seq > ?", filter.after);
  if (filter.text !== undefined && filter.text !== "") {
    // JSON columns contain the text in its JSON form.
    const inside = safeJson(filter.text).slice(1, -1);
    const plain = ["session", "agent", "call_id", "event", "tool", "digest", "decision"];
    const found = (columns: string[]) => columns.map((column) => `instr(lower(${column}), lower(?))`);
    const json = ["args", "because", "outcome"];
    add(
      `(${[...found(plain), ...found(json)].join(" OR ")})`,
      ...plain.map(() => filter.text),
      ...json.map(() => inside),
    );
  }
  return { conditions, values };
}

function parsed(text: unknown): Json {
  if (typeof text !== "string") return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
