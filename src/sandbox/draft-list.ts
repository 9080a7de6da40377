// The drafts in a state directory, for people.

import { readdirSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";
import { readDraftRecord } from "./draft-directory.ts";

export interface ListedDraft {
  readonly name: string;
  readonly project: string;
  readonly agent: string;
  readonly session: string;
  /** An ISO date. */
  readonly begun: string;
}

/** The oldest first. */
export function listDrafts(stateDirectory: string): ListedDraft[] {
  const found = namesIn(`${stateDirectory}/drafts`).flatMap((name): ListedDraft[] => {
    const record = readDraftRecord(`${stateDirectory}/drafts/${name}`);
    // A draft that is being made or removed has another name than it will have or had.
    if (record === null || /\.(?:begin|gone)-/.test(name)) return [];
    const { project, agent, session, begunAt } = record;
    return [{ name, project, agent, session, begun: new Date(begunAt).toISOString() }];
  });
  return found.sort((a, b) => (a.begun < b.begun ? -1 : 1));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return []; // no session has had one yet
  }
}
