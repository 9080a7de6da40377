// Drafts that a person discarded: kept aside for a day, in STATE/discarded, and removed then.
// Invariant: nothing that a program wrote is removed before its time. A draft is moved by one rename, so it is always whole, at one place.

import { renameSync } from "node:fs";
import { makeDirectories } from "../process/make-directories.ts";
import { namesIn } from "../process/names-in.ts";
import { errorCode } from "../shared/error-code.ts";
import { baseName } from "../shared/path.ts";
import { readDraftRecord, removeDraft } from "./draft-directory.ts";
import { discardUntouched, isInUse } from "./draft-discard.ts";
import { hasRunningBoxes } from "./draft-in-use.ts";
import type { ListedDraft } from "./draft-list.ts";
import { renameIfThere } from "./rename-if-there.ts";

/** How long a discarded draft is kept. */
export const KEPT_MS = 24 * 60 * 60 * 1000;
const NAME = /^(.+)\.(\d{1,15})$/;

export interface DiscardedDraft extends ListedDraft {
  /** Milliseconds since 1970. */
  readonly discardedAt: number;
  /** Where it is now. */
  readonly directory: string;
}

/** Null if a program of the session runs, or the draft is gone: nothing has changed then. */
export function setDraftAside(stateDirectory: string, directory: string, nowMs: number): string | null {
  const aside = `${stateDirectory}/discarded/${baseName(directory)}.${nowMs}`;
  makeDirectories(`${stateDirectory}/discarded`, 0o700);
  if (hasRunningBoxes(directory) || !renameIfThere(directory, aside)) return null;
  // A program may have been started just before. Whoever comes later finds no draft of this name.
  if (!hasRunningBoxes(aside)) return aside;
  renameSync(aside, directory);
  return null;
}

/** `taken`: the session has another draft by now, in which something was changed. */
export type RestoreProblem = "in use" | "taken" | "gone";

/** Null if nothing is in the way. A new draft of the session in which nothing was changed is removed. */
export function restoreProblem(stateDirectory: string, { name, directory }: DiscardedDraft): RestoreProblem | null {
  if (readDraftRecord(directory) === null) return "gone";
  // A gate that had it mounted when it was discarded may still hold it. Two mounts of one layer would break it.
  if (isInUse(directory)) return "in use";
  const place = `${stateDirectory}/drafts/${name}`;
  const other = readDraftRecord(place);
  return other === null || discardUntouched(place, other) ? null : "taken";
}

/** Null if it is back under its name. */
export function restoreDraft(stateDirectory: string, { name, directory }: DiscardedDraft): RestoreProblem | null {
  try {
    return renameIfThere(directory, `${stateDirectory}/drafts/${name}`) ? null : "gone";
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes(errorCode(error))) return "taken";
    throw error;
  }
}

/** The oldest first. */
export function listDiscarded(stateDirectory: string): DiscardedDraft[] {
  const found = namesIn(`${stateDirectory}/discarded`).flatMap((entry): DiscardedDraft[] => {
    const [, name = "", at = ""] = NAME.exec(entry) ?? [];
    const directory = `${stateDirectory}/discarded/${entry}`;
    const record = name === "" ? null : readDraftRecord(directory);
    if (record === null) return [];
    const { project, agent, session, begunAt } = record;
    const begun = new Date(begunAt).toISOString();
    return [{ name, project, agent, session, begun, discardedAt: Number(at), directory }];
  });
  return found.sort((a, b) => a.discardedAt - b.discardedAt);
}

/** Removes those whose time is over. */
export function sweepDiscarded(stateDirectory: string, nowMs: number): void {
  for (const entry of namesIn(`${stateDirectory}/discarded`)) {
    const [, name, at] = NAME.exec(entry) ?? [];
    const directory = `${stateDirectory}/discarded/${entry}`;
    if (name === undefined || nowMs - Number(at) < KEPT_MS || isInUse(directory)) continue;
    // A gate that is killed meanwhile leaves the rest among the drafts, where the next one finds it.
    removeDraft(directory, `${stateDirectory}/drafts/${name}`);
  }
}
