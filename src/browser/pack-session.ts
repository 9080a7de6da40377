// A session's workspace in a browser: all its files are in memory, and each change is stored in the pack before it takes effect.
// Several gates may have the same session: that of the person, and that of an agent.

import type { WorkspaceView } from "../action/action.ts";
import type { RunTreeChanges } from "../process/outcome.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import { ok, type Result } from "../shared/result.ts";
import { isSameView } from "../workspace/location.ts";
import { MemoryLocation } from "../workspace/memory-location.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CallNotes, ImportedChanges, SessionWorkspace } from "../runtime/session-workspace.ts";
import { importTree } from "../runtime/tree-changes.ts";
import { filesInBox } from "./wasm-sandbox.ts";

export class PackSession extends MemoryLocation implements SessionWorkspace {
  readonly firstCommit = null;
  readonly inProject = null;

  repositoryAt(): null {
    return null;
  }

  projectPull(): null {
    return null;
  }

  filesFor(): Workspace {
    return this.files;
  }

  async materialize(granted: WorkspaceView): Promise<BoxWorkspace | null> {
    return isSameView(granted, this.view) ? filesInBox(this.view) : null;
  }

  async importChanges(changes: RunTreeChanges | null): Promise<ImportedChanges> {
    if (changes === null) return { artifacts: [], notKept: [] };
    const { artifacts, notKept } = await importTree(changes, this.files);
    return { artifacts, notKept };
  }

  async begin(): Promise<Result<CallNotes>> {
    return ok({});
  }

  async sync(): Promise<Result<undefined>> {
    return ok(undefined);
  }

  /** Whoever opened the pack closes it. */
  close(): void {}
}
