// The workspace of a session, as the gate uses it: the files that the tools see, and what programs see of them. Each kind of
// workspace is a class of its own; `open-workspace.ts` makes it from the configuration, and nobody else asks for its kind.
// Invariant: what a program changed is in the workspace whole before its result is told; two calls at once keep each
// other's files; for one and the same file, the one that ends later stands.

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
  /** What others execute later, and a person said yes to changing. */
  readonly opens: readonly string[];
  /** Real paths that names which others execute later lead to. */
  readonly executedTargets: () => readonly string[];
}

/** What became of a program's changes. */
export interface ImportedChanges {
  readonly artifacts: readonly Artifact[];
  readonly notKept: readonly NotKept[];
}

export interface SessionWorkspace extends WorkspaceLocation {
  /** All of its files, for the gate itself. */
  readonly files: Workspace;
  /** Its files as far as the agent may see and change them. */
  filesFor(rights: AgentRights): Workspace;
  /** What a box is to show of it, up to date; null where the action that was granted shows no workspace, or nothing can be run here. */
  materialize(granted: WorkspaceView): Promise<BoxWorkspace | null>;
  /** After a run: its changes become the workspace's. `changes`: of the box's overlay; null where it had none. */
  importChanges(changes: RunTreeChanges | null): Promise<ImportedChanges>;
  /** Takes what other gates have saved in this session. Nothing is written. */
  takeSaved(): Promise<Result<undefined>>;
  /** Saves what changed here, and takes what other gates have saved in this session meanwhile. */
  sync(): Promise<Result<undefined>>;
  close(): void;
}
