// Removes a draft in which nothing was changed, so that it can begin anew.
// Invariant: nothing that a program wrote is lost. The draft is first renamed, so that no other gate finds it any more, and only then is it
// looked at a last time: a call may have changed something while this gate waited, and another gate may have begun the draft anew. If this
// gate is killed meanwhile, the next one gives the draft its name back.

import { existsSync, renameSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";
import { type DraftRecord, giveBackDraft, readDraftRecord, removeDraft, unfinishedDraft } from "./draft-directory.ts";
import { readHolder } from "./draft-holder.ts";
import { hasRunningBoxes } from "./draft-in-use.ts";
import { isTouched } from "./draft-touched.ts";

/** False if the draft stays. `record`: that of the draft which is meant. */
export function discardUntouched(directory: string, record: DraftRecord): boolean {
  const held = unfinishedDraft(directory, "held");
  try {
    renameSync(directory, held);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return true; // another gate was faster
  }
  const isMeant = readDraftRecord(held)?.begunAt === record.begunAt;
  if (!isMeant || isInUse(held) || isTouched(held, record.begunAt)) {
    giveBackDraft(held);
    return false;
  }
  removeDraft(held);
  return true;
}

/** Whether a process holds the draft, or a program of the session runs. */
export function isInUse(directory: string): boolean {
  const pid = existsSync(`${directory}/holder`) ? readHolder(directory) : 0;
  return (pid > 0 && existsSync(`/proc/${pid}/ns/mnt`)) || hasRunningBoxes(directory);
}
