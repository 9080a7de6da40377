// Opens the workspace that a gate works in: in memory, kept under the session's name or thrown away; or a directory.

import type { WorkspaceView } from "../action/action.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { AgentOf } from "../store/session-keys.ts";
import { openWorkspaceStore, type WorkspaceStore } from "../store/workspaces.ts";
import { openDirectoryWorkspace } from "../workspace/directory.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { GateError } from "./gate-error.ts";
import { SessionWorkspace } from "./session-workspace.ts";

export interface OpenWorkspace {
  readonly session: SessionWorkspace;
  close(): void;
}

export function openSessionWorkspace(
  view: WorkspaceView,
  sandbox: Sandbox,
  kept: { readonly stateDirectory: string; readonly session: SessionId; readonly agentOf: AgentOf } | null,
): OpenWorkspace {
  const makeTree = () => sandbox.openTree();
  if (view.kind === "directory") {
    const session = new SessionWorkspace({ view, files: openDirectory(view.path), makeTree, stored: null });
    return { session, close: () => session.close() };
  }
  const store: WorkspaceStore | null = kept === null ? null : openWorkspaceStore(kept.stateDirectory, kept);
  const stored = store === null || kept === null ? null : { store, session: kept.session };
  const session = new SessionWorkspace({ view, files: createMemoryWorkspace(), makeTree, stored });
  return {
    session,
    close() {
      session.close();
      store?.close();
    },
  };
}

/** It was there when the configuration was read; it may have gone since, or be closed to us. */
function openDirectory(path: string): Workspace {
  try {
    return openDirectoryWorkspace(path);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new GateError(`the workspace ${path} cannot be opened: ${said}`, { cause });
  }
}
