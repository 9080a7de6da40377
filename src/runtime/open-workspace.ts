// Opens the workspace of a gate as the configuration says. No other code branches on the kind of workspace.

import type { WorkspaceConfig } from "../config/workspace-config.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { AgentOf } from "../store/session-keys.ts";
import { openWorkspaceStore } from "../store/workspaces.ts";
import { openDirectoryWorkspace } from "../workspace/directory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { DirectorySession } from "./directory-session.ts";
import { GateError } from "./gate-error.ts";
import { MemorySession } from "./memory-session.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/** Where, and under which name, a session's files are kept. */
export interface KeptSession {
  readonly stateDirectory: string;
  readonly session: SessionId;
  readonly agentOf: AgentOf;
}

/** `kept` is null if the session ends with the gate. */
export function openSessionWorkspace(
  workspace: WorkspaceConfig,
  sandbox: Sandbox,
  kept: KeptSession | null,
): SessionWorkspace {
  if (workspace.kind === "directory") return new DirectorySession(workspace.path, openDirectory(workspace.path));
  const stored = kept === null ? null : { store: openWorkspaceStore(kept.stateDirectory, kept), session: kept.session };
  return new MemorySession(() => sandbox.openTree(), stored);
}

/** The directory existed when the configuration was read. It may be gone since, or the gate may lack permission. */
function openDirectory(path: string): Workspace {
  try {
    return openDirectoryWorkspace(path);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new GateError(`the workspace ${path} cannot be opened: ${said}`, { cause });
  }
}
