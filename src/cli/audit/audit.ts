// `sallyport audit …`: reads the record. It needs neither a box nor a valid configuration, and never creates a log.

import { type Entry, entryLine, safeJson } from "../../audit/entry.ts";
import type { RecordReader } from "../../approval/shared-store.ts";
import { JournalFault } from "../../audit/journal.ts";
import type { Verification } from "../../audit/chain.ts";
import { ownCommand } from "../../config/own-command.ts";
import { findConfigPaths } from "../../config/config-paths.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { LocalStore } from "../../runtime/local-store.ts";
import { type FilterFlags, parseFilter } from "./audit-filter.ts";
import { listLines } from "./audit-list.ts";
import { storyLines } from "./audit-show.ts";
import { statsLines } from "./audit-stats.ts";
import { exitCode } from "../exit-code.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface AuditFlags {
  readonly state?: string;
  readonly json?: boolean;
}

/** Passes null if there is no log. Reading does not create one. */
async function withRecord<T>(
  flags: AuditFlags,
  terminal: Terminal,
  work: (record: RecordReader | null, path: string) => Promise<T>,
): Promise<T> {
  const found = findConfigPaths({ statePath: flags.state, environment: terminal.environment });
  if (!found.ok) throw new UsageError(displayText(found.error.message), displayText(found.error.hint));
  const store = LocalStore.at(found.paths);
  try {
    return await work(store.hasRecord ? store.record : null, store.recordPath);
  } finally {
    await store.close();
  }
}

async function printNoCalls(screen: Screen, path: string): Promise<number> {
  await screen.line(`No calls yet: there is no log at ${displayText(path)}.`);
  return exitCode.ok;
}

export async function auditListCommand(flags: AuditFlags & FilterFlags, terminal: Terminal): Promise<number> {
  const filter = parseFilter(flags);
  const { out } = terminal;
  return await withRecord(flags, terminal, async (record, path) => {
    const entries: Entry[] = [];
    if (record !== null) for await (const entry of record.list(filter)) entries.push(entry);
    if (flags.json === true) {
      await out.line(entries.length === 0 ? "[]" : `[\n${entries.map(entryLine).join(",\n")}\n]`);
      return exitCode.ok;
    }
    if (record === null) return await printNoCalls(out, path);
    for (const line of listLines(entries, filter, out, ownCommand(terminal.environment, flags))) await out.line(line);
    return exitCode.ok;
  });
}

export async function auditShowCommand(which: string, flags: AuditFlags, terminal: Terminal): Promise<number> {
  const { out, err } = terminal;
  return await withRecord(flags, terminal, async (record) => {
    const entry = /^\d{1,15}$/.test(which) ? await record?.entry(Number(which)) : undefined;
    const callId = entry === undefined ? which : entry.call_id;
    const story = callId === null ? [] : ((await record?.story(callId)) ?? []);
    const entries = story.length === 0 && entry !== undefined ? [entry] : story;
    if (entries.length === 0) {
      await err.line(`sallyport: the log has no entry or call ${displayText(which, { maxLength: 80 })}`);
      await err.line(`hint: \`${ownCommand(terminal.environment, flags)("audit", "list")}\` shows the numbers.`);
      return exitCode.refused;
    }
    const json = () => `[\n${entries.map(entryLine).join(",\n")}\n]`;
    await out.line(flags.json === true ? json() : storyLines(entries, out).join("\n"));
    return exitCode.ok;
  });
}

export async function auditVerifyCommand(flags: AuditFlags, terminal: Terminal): Promise<number> {
  const { out } = terminal;
  const { verification, path } = await verifyLog(flags, terminal);
  const { ok, entries, first_bad, reason } = verification;
  if (flags.json === true) await out.line(safeJson({ ok, entries, first_bad, reason }));
  else if (path === null) await out.line("No calls yet: there is no log to verify.");
  else if (ok)
    await out.line(
      `${out.paint("In order", "green")}: ${entries} entries, none changed, removed or added. ${displayText(path)}`,
    );
  else {
    const where = first_bad === null ? "" : `, first at entry ${first_bad}`;
    await out.line(`${out.paint("NOT in order", "red", "bold")}${where}: ${displayText(reason ?? "")}`);
    await out.line(`${entries} entries were read. ${displayText(path)}`);
    if (first_bad !== null)
      await out.line("What comes before that entry can be trusted; what comes from it on cannot.");
  }
  return ok ? exitCode.ok : exitCode.refused;
}

/** A log that is too broken to read fails the verification. This is a result of `verify`, not a fault of the command. */
async function verifyLog(
  flags: AuditFlags,
  terminal: Terminal,
): Promise<{ verification: Verification; path: string | null }> {
  const nothing: Verification = { ok: true, entries: 0, first_bad: null, reason: null };
  let at: string | null = null;
  try {
    return await withRecord(flags, terminal, async (record, path) => {
      at = path;
      return record === null ? { verification: nothing, path: null } : { verification: await record.verify(), path };
    });
  } catch (error) {
    if (!(error instanceof JournalFault)) throw error;
    return { verification: { ...nothing, ok: false, reason: error.message }, path: at ?? "" };
  }
}

export async function auditExportCommand(flags: AuditFlags & FilterFlags, terminal: Terminal): Promise<number> {
  const filter = { ...parseFilter(flags), order: "oldest" as const };
  return await withRecord(flags, terminal, async (record) => {
    if (record !== null)
      for await (const entry of record.list(filter)) await terminal.out.write(`${entryLine(entry)}\n`);
    return exitCode.ok;
  });
}

export async function auditStatsCommand(flags: AuditFlags, terminal: Terminal): Promise<number> {
  const { out } = terminal;
  return await withRecord(flags, terminal, async (record, path) => {
    if (record === null && flags.json !== true) return await printNoCalls(out, path);
    const stats = (await record?.stats()) ?? noStats;
    await out.line(flags.json === true ? safeJson(stats as unknown as Json) : statsLines(stats, out).join("\n"));
    return exitCode.ok;
  });
}

const noStats = {
  entries: 0,
  calls: 0,
  first_time: null,
  last_time: null,
  tools: {},
  events: {},
  decisions: {},
  refusals: {},
  durations: {},
  calls_without_end: [],
};
