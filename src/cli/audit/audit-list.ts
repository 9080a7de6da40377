// Prints the record as a table, one entry a line, newest first.

import type { Entry } from "../../audit/entry.ts";
import type { EntryFilter } from "../../audit/journal.ts";
import { argsSummary, outcomeSummary, shortEvent, shown } from "../../audit/entry-text.ts";
import type { OwnCommand } from "../../shared/own-command.ts";
import { decisionStyle } from "../call/dry-run.ts";
import { localTime } from "../terminal/local-time.ts";
import { tableLines } from "../terminal/table.ts";
import type { Screen } from "../terminal/terminal.ts";

export function listLines(entries: readonly Entry[], filter: EntryFilter, screen: Screen, own: OwnCommand): string[] {
  if (entries.length === 0) return ["No entries match."];
  const head = ["time", "seq", "event", "tool", "agent", "decision", "what"].map((text) => ({
    text,
    styles: ["bold"] as const,
  }));
  const now = new Date();
  const rows = entries.map((entry) => [
    { text: localTime(entry.time, now), styles: ["dim"] as const },
    String(entry.seq),
    shortEvent(entry.event),
    shown(entry.tool),
    shown(entry.agent),
    entry.decision === null ? "-" : { text: entry.decision, styles: [decisionStyle[entry.decision]] },
    outcomeSummary(entry) ?? argsSummary(entry),
  ]);
  const lines = tableLines([head, ...rows], screen);
  const last = entries.at(-1) as Entry;
  if (entries.length === filter.limit && last.seq > 1) {
    lines.push(
      screen.paint(
        `Older ones: the same with --before ${last.seq}. One call whole: ${own("audit", "show", "SEQ")}`,
        "dim",
      ),
    );
  }
  return lines;
}
