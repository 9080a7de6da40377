// Prints all entries of the record about one call.

import { type Entry, safeJson } from "../../audit/entry.ts";
import { argsSummary, field, outcomeSummary, shown } from "../../audit/entry-text.ts";
import { displayText } from "../../shared/display.ts";
import { decisionStyle } from "../call/dry-run.ts";
import { localTime } from "../terminal/local-time.ts";
import type { Screen } from "../terminal/terminal.ts";

export function storyLines(entries: readonly Entry[], screen: Screen): string[] {
  const first = entries[0] as Entry;
  const lines = [
    `${screen.paint(first.call_id === null ? "Not part of a call" : `Call ${displayText(first.call_id)}`, "bold")}`,
    `  tool     ${shown(first.tool)}`,
    `  agent    ${shown(first.agent)}`,
    `  session  ${displayText(first.session ?? "-")}`,
  ];
  const digest = entries.find((entry) => entry.digest !== null)?.digest;
  if (digest !== undefined && digest !== null) lines.push(`  digest   ${displayText(digest)}`);
  for (const entry of entries) lines.push("", ...entryLines(entry, screen));
  if (first.event === "tool.call.received" && !entries.some(({ event }) => isEnd(event))) {
    lines.push("", screen.paint("No end was recorded: it still runs, or was killed together with the gate.", "yellow"));
  }
  return lines;
}

function isEnd(event: Entry["event"]): boolean {
  return event === "tool.call.finished" || event === "tool.call.denied";
}

function entryLines(entry: Entry, screen: Screen): string[] {
  const time = screen.paint(localTime(entry.time, new Date()), "dim");
  const lines = [`${time}  ${screen.paint(entry.event, "bold")}  ${screen.paint(`entry ${entry.seq}`, "dim")}`];
  const add = (name: string, text: string) => lines.push(`  ${name.padEnd(9)}${text}`);
  if (entry.decision !== null) add("decision", screen.paint(entry.decision, decisionStyle[entry.decision]));
  for (const reason of entry.because ?? []) add("because", displayText(reason));
  // The entry of a refusal repeats the arguments, which are printed above already.
  if (entry.args !== null && entry.event !== "tool.call.denied") {
    if (field(entry.args, "argv") !== undefined) add("run", argsSummary(entry));
    if (entry.event === "agent.said") add("claim", argsSummary(entry));
    add("args", displayText(safeJson(entry.args)));
  }
  const summary = outcomeSummary(entry);
  if (summary !== undefined) add("outcome", summary);
  const hint = field(entry.outcome, "hint");
  if (typeof hint === "string") add("hint", displayText(hint));
  if (entry.outcome !== null && entry.event !== "tool.call.denied")
    add("details", displayText(safeJson(entry.outcome)));
  return lines;
}
