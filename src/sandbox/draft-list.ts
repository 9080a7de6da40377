// The drafts in a state directory: a list for people, and the removal of what killed gates left of others.

import { namesIn } from "../process/names-in.ts";
import { giveBackDraft, readDraftRecord, removeDraft, stateOfName } from "./draft-directory.ts";

export interface ListedDraft {
  readonly name: string;
  readonly project: string;
  readonly agent: string;
  readonly session: string;
  /** An ISO date. */
  readonly begun: string;
}

/** Removes what gates that have ended were making or removing, and gives back what they held. */
export function sweepDrafts(stateDirectory: string): void {
  for (const name of namesIn(`${stateDirectory}/drafts`)) {
    if (stateOfName(name) !== "left behind") continue;
    if (name.endsWith(".held")) giveBackDraft(`${stateDirectory}/drafts/${name}`);
    else removeDraft(`${stateDirectory}/drafts/${name}`);
  }
}

export function draftPath(stateDirectory: string, { name }: ListedDraft): string {
  return `${stateDirectory}/drafts/${name}`;
}

/** The oldest first. */
export function listDrafts(stateDirectory: string): ListedDraft[] {
  const found = namesIn(`${stateDirectory}/drafts`).flatMap((name): ListedDraft[] => {
    const record = readDraftRecord(`${stateDirectory}/drafts/${name}`);
    if (record === null || stateOfName(name) !== "finished") return [];
    const { project, agent, session, begunAt } = record;
    return [{ name, project, agent, session, begun: new Date(begunAt).toISOString() }];
  });
  return found.sort((a, b) => (a.begun < b.begun ? -1 : 1));
}
