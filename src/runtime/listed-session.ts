// The sessions that may have work which has not landed: drafts, and workspaces in memory that are kept.

import { existsSync } from "node:fs";
import { isInUse } from "../sandbox/draft-discard.ts";
import { hasRunningBoxes } from "../sandbox/draft-in-use.ts";
import { draftPath, type ListedDraft, listDrafts } from "../sandbox/draft-list.ts";
import { isTouched } from "../sandbox/draft-touched.ts";
import { readDraftUse } from "../sandbox/draft-use.ts";
import { nodeMachine } from "./node-machine.ts";
import { parseSessionKey, type SessionId, sessionKey } from "../shared/session-id.ts";
import { openWorkspaceStore } from "../store/workspaces.ts";

/** A workspace in memory, as the store keeps it. */
export interface ListedMemory {
  readonly name: string;
  readonly project: null;
  readonly agent: string;
  readonly session: string;
  /** An ISO date: when it was saved last. */
  readonly begun: string;
  readonly bytes: number;
}

export type ListedSession = ListedDraft | ListedMemory;

/** The oldest first. */
export function listSessions(stateDirectory: string): ListedSession[] {
  const found = [...listDrafts(stateDirectory), ...listMemory(stateDirectory)];
  return found.sort((a, b) => (a.begun < b.begun ? -1 : 1));
}

/** Those with files. Reading makes no store. */
function listMemory(stateDirectory: string): ListedMemory[] {
  if (!existsSync(`${stateDirectory}/workspaces.sqlite`)) return [];
  const store = openWorkspaceStore(stateDirectory);
  try {
    return store.sessions().flatMap(({ key, files, bytes, savedAt }): ListedMemory[] => {
      const id = parseSessionKey(key);
      if (id === null || files === 0) return [];
      const name = memoryName(id);
      return [
        { name, project: null, agent: id.agent, session: id.name, begun: new Date(savedAt).toISOString(), bytes },
      ];
    });
  } finally {
    store.close();
  }
}

/** Readable, and different for each agent and session. */
export function memoryName(id: SessionId): string {
  const readable = id.name.replace(/[^\w.-]+/g, "-").slice(0, 60);
  return `memory-${readable}-${nodeMachine.hashes.hex("sha256", sessionKey(id)).slice(0, 8)}`;
}

/** Whether something may have been changed since it began. */
export function isSessionTouched(stateDirectory: string, listed: ListedSession): boolean {
  return listed.project === null || isTouched(draftPath(stateDirectory, listed), Date.parse(listed.begun));
}

/** `running`: a program of it runs. `open`: a gate holds its draft. */
export function sessionUse(stateDirectory: string, listed: ListedSession): "running" | "open" | null {
  if (listed.project === null) return null;
  const directory = draftPath(stateDirectory, listed);
  if (hasRunningBoxes(directory)) return "running";
  return isInUse(directory) ? "open" : null;
}

export function sessionBytes(stateDirectory: string, listed: ListedSession): number {
  return listed.project === null ? listed.bytes : readDraftUse(draftPath(stateDirectory, listed));
}
