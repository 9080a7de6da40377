// Shows a staged commit as a row of `review`, and as JSON.

import type { StagedFile } from "../../git/staged.ts";
import type { StagedCommitView } from "../../runtime/staged-commits.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { ageText } from "../terminal/age-text.ts";
import { padColumns } from "../terminal/columns.ts";

export function stagedRowText({ id, message, files, session, createdAt }: StagedCommitView, now: number): string {
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const title = displayText(message.split("\n")[0] ?? "", { maxLength: 300 });
  const names = [id, session].map((name) => displayText(name, { maxLength: 40 })).join("  ");
  return `staged  ${padColumns(ageText(now - createdAt), 4)}  ${names}  ${count}: ${title}`;
}

/** The format of `review --json --staged`. Questions in the same list have the kind `question`. */
export function stagedJson({ id, message, files, session, agent, createdAt }: StagedCommitView): Json {
  return {
    kind: "staged",
    id,
    created: new Date(createdAt).toISOString(),
    agent,
    session,
    message,
    files: (files as readonly StagedFile[]).map(({ path, operation, after }) => ({
      path,
      operation,
      size: after?.size ?? 0,
    })),
  };
}
