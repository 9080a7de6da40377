// Parses the flags that filter the entries of the record.

import { entryEvents, type EntryEvent } from "../../audit/entry.ts";
import type { EntryFilter } from "../../audit/journal.ts";
import { displayText } from "../../shared/display.ts";
import { UsageError } from "../usage-error.ts";

export interface FilterFlags {
  readonly session?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly event?: string;
  readonly call?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly before?: string;
  readonly after?: string;
  readonly limit?: string;
}

export function parseFilter(flags: FilterFlags): EntryFilter {
  const { session, agent, tool, text, call } = flags;
  return {
    session,
    agent,
    tool,
    text,
    call_id: call,
    event: flags.event === undefined ? undefined : parseEvent(flags.event),
    since: flags.since === undefined ? undefined : parseTime("--since", flags.since, Date.now()),
    until: flags.until === undefined ? undefined : parseTime("--until", flags.until, Date.now()),
    before: parseNumber("--before", flags.before),
    after: parseNumber("--after", flags.after),
    limit: parseNumber("--limit", flags.limit),
  };
}

function parseEvent(text: string): EntryEvent {
  const found = entryEvents.find((event) => event === text) ?? entryEvents.find((event) => event.endsWith(`.${text}`));
  if (found !== undefined) return found;
  throw new UsageError(`--event: there is no event ${displayText(text)}`, `There are ${entryEvents.join(", ")}.`);
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `2h` means two hours ago. A date or time without a zone is in this machine's time zone. */
function parseTime(flag: string, text: string, nowMs: number): string {
  const ago = /^(\d{1,6})([smhdw])$/.exec(text);
  const isDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text);
  // Date.parse reads a date alone as UTC, but the person means midnight in the local zone.
  const ms =
    ago !== null
      ? nowMs - Number(ago[1]) * (units[ago[2] as string] as number)
      : isDate
        ? Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(" ", "T"))
        : NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new UsageError(
    `${flag}: ${displayText(text)} is not a time`,
    "Write 30m, 2h, 3d, 2026-01-31 or 2026-01-31T12:00.",
  );
}

function parseNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${flag}: ${displayText(text)} is not a whole number from 1 on`);
}
