// The record: page by page, one call whole, and in numbers.

import { Hono } from "hono";
import { z } from "zod";
import { type Entry, entryEvents } from "../audit/entry.ts";
import { argsSummary, outcomeSummary } from "../audit/entry-text.ts";
import { displayText } from "../shared/display.ts";
import { limits } from "../shared/limits.ts";
import type { CallStory, LogPage, LogRow, StatsView } from "./api.ts";
import { costly } from "./costly.ts";
import type { PageContext } from "./page-context.ts";
import { readValue } from "./read-body.ts";
import { notFound } from "./refuse.ts";

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
  after: number,
  limit: z.coerce.number().int().min(1).max(limits.logPageMost).default(100),
});

export function logRoutes({ journal }: PageContext): Hono {
  const stats = costly(
    () => journal.lastSeq(),
    (): StatsView => {
      const since = new Date(Date.now() - limits.statsHours * 3_600_000).toISOString();
      return { ...journal.stats(), hours: journal.hours(since) };
    },
  );
  const routes = new Hono();
  routes.get("/log", (c) => {
    // A field that is left empty asks for nothing.
    const given = Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ""));
    const query = readValue(c, given, logQuery as z.ZodType<z.output<typeof logQuery>>);
    if (query instanceof Response) return query;
    const found = [...journal.list({ ...query, limit: query.limit + 1 })];
    const entries = found.slice(0, query.limit);
    const next = found.length > entries.length ? (entries.at(-1)?.seq ?? null) : null;
    return c.json<LogPage>({ entries: entries.map(logRow), next });
  });
  routes.get("/calls/:id", (c) => {
    const id = c.req.param("id");
    const entries = journal.story(id);
    return entries.length === 0 ? notFound(c, "This call") : c.json<CallStory>({ id, entries });
  });
  return routes.get("/stats", (c) => c.json<StatsView>(stats()));
}

const SUMMARY_CHARACTERS = 400;

function logRow(entry: Entry): LogRow {
  const { seq, time: at, session, agent, call_id, event, tool, decision } = entry;
  const summary = displayText(outcomeSummary(entry) ?? argsSummary(entry), { maxLength: SUMMARY_CHARACTERS });
  return { seq, time: at, session, agent, call_id, event, tool, decision, summary };
}
