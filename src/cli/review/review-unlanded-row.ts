// The row of a session that has not landed its work, in the list of `review`.

import { sizeText } from "../../action/diff-facts.ts";
import type { SessionChanges } from "../../runtime/session-changes.ts";
import { displayText } from "../../shared/display.ts";
import { ageText } from "../terminal/age-text.ts";
import { padColumns } from "../terminal/columns.ts";

export function unlandedRowText(row: SessionChanges, now: number): string {
  const { session, agent, project, files, added, removed, begun, use, bytes, problem } = row;
  const count = files === null ? "cannot be read" : files === 1 ? "1 file" : `${files} files`;
  const lines = added === null || removed === null ? "" : ` +${added} -${removed}`;
  const who = [session, agent].map((name) => displayText(name, { maxLength: 40 })).join("  ");
  const running = use === "running" ? ", at work" : "";
  const where = problem ?? project ?? "in memory";
  const age = padColumns(ageText(now - Date.parse(begun)), 4);
  return `changes ${age}  ${who}  ${count}${lines}, ${sizeText(bytes)}${running}: ${displayText(where, { maxLength: 300 })}`;
}
