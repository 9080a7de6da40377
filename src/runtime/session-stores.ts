// What is kept for sessions, opened: stores of an earlier version, which have only a session's name, get the key of its agent.
// Invariant: that is done before this process writes its first entry. SECURITY(T43): an agent that calls first under
// another's name does not become the one that the record names.

import type { StagedStore } from "../git/staged.ts";
import { openStagedStore } from "../store/staged.ts";
import { keyWorkspaces } from "../store/workspaces.ts";
import { agentByRecord, type RecordedSessions } from "./session.ts";

export function openSessionStores(stateDirectory: string, record: RecordedSessions): StagedStore {
  const agentOf = agentByRecord(record);
  keyWorkspaces(stateDirectory, agentOf);
  return openStagedStore(stateDirectory, agentOf);
}
