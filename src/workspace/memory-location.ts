// The location of a workspace in memory. It is not on a disk. Programs see its files at /workspace.

import type { WorkspaceView } from "../action/action.ts";
import { isWithin } from "../shared/path.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspaceLocation } from "./location.ts";
import { parseWorkspaceDirectory, parseWorkspacePath, type WorkspacePath, workspaceRoot } from "./path.ts";
import type { Workspace } from "./workspace.ts";

export class MemoryLocation implements WorkspaceLocation {
  readonly view: WorkspaceView = { kind: "memory" };
  readonly path = workspaceRoot;
  readonly home = null;
  readonly files: Workspace;

  constructor(files: Workspace) {
    this.files = files;
  }

  contains(path: string): boolean {
    return isWithin(path, workspaceRoot);
  }

  spelled(path: string): string {
    return path;
  }

  onDisk(): null {
    return null;
  }

  /** A directory exists only if it contains files. */
  async isDirectory(path: string): Promise<boolean> {
    const parsed = parseWorkspaceDirectory(path);
    const resolved = parsed.ok ? await this.files.resolve(parsed.value) : parsed;
    return resolved.ok && (await this.files.isDirectory(resolved.value));
  }

  namesIn(): null {
    return null;
  }

  ownFile(path: string): Result<WorkspacePath> | null {
    return isWithin(path, workspaceRoot) ? parseWorkspacePath(path) : null;
  }
}
