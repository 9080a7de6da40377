// The record in numbers as the database counts it, all of it anew: what the counts that are kept must agree with.

import type { DatabaseSync } from "node:sqlite";
import type { DurationStats, HourCount, JournalStats, OpenCall, SessionCount } from "../../src/audit/journal.ts";

export function statsBySql(database: DatabaseSync): JournalStats {
  const total = database
    .prepare("SELECT count(*) AS entries, min(time) AS first_time, max(time) AS last_time FROM entries")
    .get();
  const calls = database.prepare("SELECT count(*) AS calls FROM entries WHERE event = 'tool.call.received'").get();
  return {
    entries: Number(total?.["entries"]),
    calls: Number(calls?.["calls"]),
    first_time: (total?.["first_time"] ?? null) as string | null,
    last_time: (total?.["last_time"] ?? null) as string | null,
    tools: counts(database, "tool", "event = 'tool.call.received' AND tool IS NOT NULL"),
    events: counts(database, "event", "true"),
    decisions: counts(database, "decision", "decision IS NOT NULL"),
    refusals: counts(database, `ifnull(${outcomeField("error")}, 'unknown')`, "event = 'tool.call.denied'"),
    durations: durations(database),
    calls_without_end: openCalls(database),
  };
}

const counted = "sum(event = 'tool.call.received') AS calls, sum(event = 'tool.call.denied') AS refused";

export function hoursBySql(database: DatabaseSync, since: string): HourCount[] {
  const sql = `SELECT substr(time, 1, 13) AS hour, ${counted} FROM entries
    WHERE substr(time, 1, 13) >= substr(?, 1, 13) AND event IN ('tool.call.received', 'tool.call.denied') GROUP BY 1 ORDER BY 1`;
  return database
    .prepare(sql)
    .all(since)
    .map((row) => ({ ...row })) as unknown as HourCount[];
}

export function sessionsBySql(database: DatabaseSync): SessionCount[] {
  const sql = `WITH grouped AS (
      SELECT session AS name, ${counted}, min(seq) AS first_seq, max(seq) AS last_seq
      FROM entries WHERE session IS NOT NULL GROUP BY session, agent)
    SELECT name, newest.agent AS agent, calls, refused, oldest.time AS first, newest.time AS last FROM grouped
      JOIN entries AS oldest ON oldest.seq = first_seq JOIN entries AS newest ON newest.seq = last_seq
    ORDER BY last_seq DESC`;
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row })) as unknown as SessionCount[];
}

function outcomeField(name: string): string {
  return `CASE WHEN json_valid(outcome) THEN json_extract(outcome, '$.${name}') END`;
}

function counts(database: DatabaseSync, value: string, where: string): Record<string, number> {
  const sql = `SELECT ${value} AS name, count(*) AS number FROM entries WHERE ${where} GROUP BY 1 ORDER BY 2 DESC, 1`;
  return record(
    database
      .prepare(sql)
      .all()
      .map((row) => [String(row["name"]), Number(row["number"])]),
  );
}

function durations(database: DatabaseSync): Record<string, DurationStats> {
  const seconds = outcomeField("duration_s");
  const sql = `SELECT ifnull(tool, 'unknown') AS tool, ${seconds} AS seconds FROM entries
    WHERE event = 'tool.call.finished' AND typeof(${seconds}) IN ('real', 'integer') ORDER BY 1, 2`;
  const byTool = new Map<string, number[]>();
  for (const row of database.prepare(sql).iterate()) {
    const tool = String(row["tool"]);
    const known = byTool.get(tool);
    if (known === undefined) byTool.set(tool, [Number(row["seconds"])]);
    else known.push(Number(row["seconds"]));
  }
  return record(
    [...byTool].map(([tool, sorted]) => [
      tool,
      { count: sorted.length, p50_s: rank(sorted, 0.5), p95_s: rank(sorted, 0.95) },
    ]),
  );
}

/** The nearest rank: a duration that was really measured. */
function rank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] as number;
}

function openCalls(database: DatabaseSync): OpenCall[] {
  const sql = `SELECT call_id, seq, time, session, agent, tool FROM entries AS received
    WHERE event = 'tool.call.received' AND call_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM entries WHERE call_id = received.call_id AND event IN ('tool.call.finished', 'tool.call.denied'))
    ORDER BY seq`;
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row })) as unknown as OpenCall[];
}

// Tool names come from agents: `__proto__` is one like any other.
function record<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries);
}
