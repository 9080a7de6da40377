// Opens the stores of sessions. Stores of an earlier version have only a session's name; this adds the agent as a key.
// Invariant: this happens before the process writes its first entry. SECURITY(T43): otherwise an agent that calls first under another
// agent's session name would become the one that the record names.

import type { StagedStore } from "../git/staged.ts";
import { openStagedStore } from "../store/staged.ts";
import { keyWorkspaces } from "../store/workspaces.ts";
import { agentByRecord, type RecordedSessions } from "./session.ts";

export function openSessionStores(stateDirectory: string, record: RecordedSessions): StagedStore {
  const agentOf = agentByRecord(record);
  keyWorkspaces(stateDirectory, agentOf);
  return openStagedStore(stateDirectory, agentOf);
}
