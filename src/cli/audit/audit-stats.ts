// Prints statistics of the record, with small bars.

import type { JournalStats } from "../../audit/journal.ts";
import { secondsText, shown } from "../../audit/entry-text.ts";
import type { Decision } from "../../policy/decision.ts";
import { displayText } from "../../shared/display.ts";
import { decisionStyle } from "../call/dry-run.ts";
import { localTime } from "../terminal/local-time.ts";
import { type Row, tableLines } from "../terminal/table.ts";
import type { Screen, Style } from "../terminal/terminal.ts";

const barWidth = 24;
const shownRows = 12;

export function statsLines(stats: JournalStats, screen: Screen): string[] {
  if (stats.entries === 0) return ["No calls yet."];
  const now = new Date();
  const period = `${localTime(stats.first_time ?? "", now)} to ${localTime(stats.last_time ?? "", now)}`;
  const lines = [`${screen.paint(`${stats.calls} calls`, "bold")}, ${stats.entries} entries, ${period}`];
  const section = (title: string, rows: readonly Row[]) => {
    if (rows.length > 0) lines.push("", screen.paint(title, "bold"), ...tableLines(rows, screen, "  "));
  };
  const said = stats.events["agent.said"] ?? 0;
  if (said > 0) lines.push(`${said} entries are what agents say of their own tools: claims, and no calls`);
  section(
    "Calls by tool",
    barRows(stats.tools, () => "blue", screen),
  );
  section(
    "Decisions",
    barRows(stats.decisions, (name) => decisionStyle[name as Decision] ?? "red", screen),
  );
  section(
    "Refusals by reason",
    barRows(stats.refusals, () => "red", screen),
  );
  section(
    "How long calls took",
    Object.entries(stats.durations).map(([tool, { count, p50_s, p95_s }]) => [
      shown(tool),
      `half within ${secondsText(p50_s)}`,
      `95 of 100 within ${secondsText(p95_s)}`,
      `${count} finished`,
    ]),
  );
  const open = stats.calls_without_end;
  section(
    `Calls without an end: ${open.length}`,
    open.length === 0
      ? []
      : [
          ...open
            .slice(-shownRows)
            .map(({ seq, time, tool, agent, call_id }) => [
              String(seq),
              localTime(time, now),
              shown(tool),
              shown(agent),
              { text: displayText(call_id), styles: ["dim"] as const },
            ]),
          [{ text: "They still run, or were killed together with the gate.", styles: ["dim"] as const }],
        ],
  );
  return lines;
}

function barRows(counts: Readonly<Record<string, number>>, style: (name: string) => Style, screen: Screen): Row[] {
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const most = Math.max(1, ...entries.map(([, count]) => count));
  const rows: Row[] = entries
    .slice(0, shownRows)
    .map(([name, count]) => [
      shown(name),
      String(count),
      { text: bar(count / most, screen.isUnicode), styles: [style(name)] },
    ]);
  const left = entries.slice(shownRows);
  if (left.length > 0) rows.push([`${left.length} more`, String(left.reduce((sum, [, count]) => sum + count, 0)), ""]);
  return rows;
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Draws at least the smallest bar, so that a count above zero never looks like zero. */
function bar(share: number, isUnicode: boolean): string {
  if (!isUnicode) return "#".repeat(Math.max(1, Math.round(share * barWidth)));
  const parts = Math.max(1, Math.round(share * barWidth * 8));
  return "█".repeat(parts >> 3) + (eighths[parts & 7] as string);
}
