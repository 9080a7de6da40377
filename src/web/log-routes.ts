// Serves the record: page by page, one whole call, and statistics.

import { Hono } from "hono";
import { z } from "zod";
import type { RecordReader } from "../approval/shared-store.ts";
import { type Entry, entryEvents, safeJson } from "../audit/entry.ts";
import { argsSummary, askedSummary, outcomeSummary } from "../audit/entry-text.ts";
import { displayText } from "../shared/display.ts";
import type { Json } from "../shared/json.ts";
import { limits } from "../shared/limits.ts";
import type { CallStory, LogPage, LogRow, StatsView } from "./api.ts";
import { readValue } from "./read-body.ts";
import { refuseNotFound } from "./refuse.ts";

const text = z.string().max(500).optional();
const number = z.coerce.number().int().min(1).optional();
const time = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((written) => new Date(written).toISOString())
  .optional();

const logQuery = z.strictObject({
  text,
  tool: text,
  agent: text,
  session: text,
  event: z.enum(entryEvents).optional(),
  since: time,
  until: time,
  before: number,
  after: z.coerce.number().int().min(0).optional(), // 0: a page that saw an empty record
  limit: z.coerce.number().int().min(1).max(limits.logPageMost).default(100),
});

export function logRoutes(record: RecordReader): Hono {
  const routes = new Hono();
  routes.get("/log", async (c) => {
    // An empty field does not filter.
    const written = Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ""));
    const query = readValue(c, written, logQuery as z.ZodType<z.output<typeof logQuery>>);
    if (query instanceof Response) return query;
    const found: Entry[] = [];
    // Ends early if the page is gone, because nobody reads the answer.
    for await (const entry of record.list({ ...query, limit: query.limit + 1 }, c.req.raw.signal)) found.push(entry);
    const entries = found.slice(0, query.limit);
    const next = found.length > entries.length ? (entries.at(-1)?.seq ?? null) : null;
    return c.json<LogPage>({ entries: entries.map((entry) => logRow(entry, query.text ?? "")), next });
  });
  routes.get("/calls/:id", async (c) => {
    const id = c.req.param("id");
    const entries = await record.story(id);
    return entries.length === 0 ? refuseNotFound(c, "This call") : c.json<CallStory>({ id, entries });
  });
  return routes.get("/stats", async (c) => {
    const stats = await record.stats();
    if (c.req.raw.signal.aborted) return c.body(null); // the server may be ending, with its stores closed
    // Includes the current hour.
    const since = new Date(Date.now() - (limits.statsHours - 1) * 3_600_000).toISOString();
    return c.json<StatsView>({ ...stats, hours: await record.hours(since) });
  });
}

const SUMMARY_CHARACTERS = 400;
const severities = ["low", "medium", "high"] as const;

function logRow(entry: Entry, text: string): LogRow {
  const { seq, time: at, session, agent, call_id, event, tool, decision } = entry;
  const question = askedSummary(entry);
  const severity = severities.find((one) => one === question?.severity);
  // The severity is a separate field, so that a narrow page does not cut it off with the summary.
  const shownText =
    (severity === undefined ? undefined : question?.asked) ?? outcomeSummary(entry) ?? argsSummary(entry);
  const summary = displayText(shownText, { maxLength: SUMMARY_CHARACTERS });
  const found = foundIn(entry, text, summary);
  const row = { seq, time: at, session, agent, call_id, event, tool, decision, summary };
  return { ...row, ...(severity === undefined ? {} : { severity }), ...(found === null ? {} : { found }) };
}

const AROUND = 40;

/** The first place in what the entry says, with some characters around it. Null if the summary has it already, or nothing has. */
function foundIn({ args, outcome, because }: Entry, text: string, summary: string): string | null {
  const small = text.trim().toLowerCase();
  if (small === "" || summary.toLowerCase().includes(small)) return null;
  for (const part of [args, outcome, because as Json]) {
    const said = safeJson(part);
    const at = said.toLowerCase().indexOf(small);
    if (at < 0) continue;
    const [from, to] = [Math.max(0, at - AROUND), at + small.length + AROUND];
    const piece = `${from > 0 ? "…" : ""}${said.slice(from, to)}${to < said.length ? "…" : ""}`;
    return displayText(piece, { maxLength: 4 * AROUND + 2 * text.length + 40 });
  }
  return null;
}
