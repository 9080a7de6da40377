// The workspace of a session: the files that the tools see, and what programs see of them. Each kind of workspace is a class.
// `open-workspace.ts` makes it from the configuration, and no other code branches on its kind.
// Invariant: all changes of a program are in the workspace before its result is returned. Two simultaneous calls keep each other's
// files. If both change the same file, the call that ends later wins.

import type { WorkspaceView } from "../action/action.ts";
import type { Capability } from "../policy/capability.ts";
import type { RunTreeChanges } from "../process/outcome.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import type { Result } from "../shared/result.ts";
import type { Artifact, NotKept } from "../tools/tool.ts";
import type { WorkspaceLocation } from "../workspace/location.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What an agent may do in this call. */
export interface AgentRights {
  readonly capability: Capability;
  /** Paths that other programs execute later and that a person allowed to be changed. */
  readonly opens: readonly string[];
  /** Real paths to which links with names that other programs execute later lead. */
  readonly executedTargets: () => readonly string[];
}

/** The result of importing a program's changes. */
export interface ImportedChanges {
  readonly artifacts: readonly Artifact[];
  readonly notKept: readonly NotKept[];
}

export interface SessionWorkspace extends WorkspaceLocation {
  /** All files, for the gate itself. */
  readonly files: Workspace;
  /** The files, limited to what the agent may see and change. */
  filesFor(rights: AgentRights): Workspace;
  /** Updates what a box shows of the workspace. Null if the granted action does not show this workspace, or nothing can run here. */
  materialize(granted: WorkspaceView): Promise<BoxWorkspace | null>;
  /** Call this after a run. It applies the program's changes to the workspace. `changes`: from the box's overlay; null if it had none. */
  importChanges(changes: RunTreeChanges | null): Promise<ImportedChanges>;
  /** Loads what other gates have saved in this session. Writes nothing. */
  takeSaved(): Promise<Result<undefined>>;
  /** Saves local changes, and loads what other gates have saved in this session meanwhile. */
  sync(): Promise<Result<undefined>>;
  close(): void;
}
