// A staged commit as a row of `review`.

import type { StagedCommitView } from "../runtime/staged-commits.ts";
import { displayText } from "../shared/display.ts";
import { padColumns } from "./columns.ts";

export function stagedRowText({ id, message, files, session, createdAt }: StagedCommitView, now: number): string {
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const title = displayText(message.split("\n")[0] ?? "", { maxLength: 300 });
  const names = [id, session].map((name) => displayText(name, { maxLength: 40 })).join("  ");
  return `staged  ${padColumns(ageText(now - createdAt), 4)}  ${names}  ${count}: ${title}`;
}

/** `5s`, `12m`, `3h`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return `${Math.floor(seconds / 3_600)}h`;
}
