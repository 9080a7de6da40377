// A session's workspace in a directory of the host. Programs change its files in a layer of the call, at /workspace and at the directory's
// own path; tools work on the files themselves. The files stay on the disk.

import { statSync } from "node:fs";
import type { WorkspaceView } from "../action/action.ts";
import type { RunTreeChanges } from "../process/outcome.ts";
import { type BoxWorkspace, directoryInBox } from "../sandbox/box-workspace.ts";
import type { LandedEntry } from "../sandbox/layer/call-layers.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { isWithin } from "../shared/path.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Artifact } from "../tools/tool.ts";
import { limitWorkspace } from "../workspace/limited-workspace.ts";
import { isSameView } from "../workspace/location.ts";
import { compareWorkspacePaths, spellWorkspacePath, type WorkspacePath, workspaceRoot } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { fileRights } from "./file-rights.ts";
import type { AgentRights, CallNotes, ImportedChanges, SessionWorkspace } from "./session-workspace.ts";

export class DirectorySession implements SessionWorkspace {
  readonly firstCommit = null;
  readonly inProject = null;
  readonly view: WorkspaceView;
  readonly path = workspaceRoot;
  readonly home = null;
  readonly files: Workspace;
  readonly #directory: string;
  /** The entries that existed at the last scan. `#version` is the version of that scan. */
  readonly #seen = new Set<WorkspacePath>();
  #version = 0;
  readonly #turns = new OneAtATime();

  /** `directory`: the real path. */
  constructor(directory: string, files: Workspace) {
    this.view = { kind: "directory", path: directory };
    this.files = files;
    this.#directory = directory;
  }

  contains(path: string): boolean {
    return isWithin(path, workspaceRoot);
  }

  spelled(path: string): string {
    return path;
  }

  onDisk(path: string): string | null {
    return isWithin(path, workspaceRoot) ? this.#directory + path.slice(workspaceRoot.length) : null;
  }

  async isDirectory(path: string): Promise<boolean> {
    const real = this.onDisk(path);
    try {
      return real !== null && statSync(real).isDirectory();
    } catch {
      return false; // absent, or not a valid name
    }
  }

  namesIn(): null {
    return null;
  }

  ownFile(): null {
    return null;
  }

  repositoryAt(): null {
    return null;
  }

  projectPull(): null {
    return null;
  }

  filesFor(rights: AgentRights): Workspace {
    return limitWorkspace(this.files, fileRights(this.#directory, rights));
  }

  /** Without layers, as without a box, a program changes the files themselves. A scan before and after shows which. */
  async materialize(granted: WorkspaceView, hasLayers = false): Promise<BoxWorkspace | null> {
    if (!isSameView(granted, this.view)) return null;
    if (!hasLayers) await this.#turns.run(() => this.#scan());
    return directoryInBox(this.view, this.#directory);
  }

  async importChanges(
    _changes: RunTreeChanges | null,
    landed: readonly LandedEntry[] | null = null,
  ): Promise<ImportedChanges> {
    if (landed === null) return await this.#turns.run(() => this.#scan());
    const own = landed.filter(({ path }) => isWithin(path, this.#directory));
    const artifacts = own.map(({ path, operation, size }) => ({ path: this.#shown(path), operation, size }));
    return { artifacts: artifacts.toSorted((a, b) => (a.path < b.path ? -1 : 1)), notKept: [] };
  }

  begin(): Promise<Result<CallNotes>> {
    return Promise.resolve(ok({}));
  }

  sync(): Promise<Result<undefined>> {
    return Promise.resolve(ok(undefined));
  }

  close(): void {
    void this.files.close();
  }

  #shown(path: string): string {
    return workspaceRoot + path.slice(this.#directory.length);
  }

  /** What changed since the last scan. */
  async #scan(): Promise<ImportedChanges> {
    const since = await this.files.changesSince(this.#version);
    this.#version = since.version;
    const changed = since.changed.toSorted((a, b) => compareWorkspacePaths(a.path, b.path));
    const artifacts = changed.map(({ path, entry }): Artifact => {
      const operation = entry === undefined ? "delete" : this.#seen.has(path) ? "update" : "create";
      if (entry === undefined) this.#seen.delete(path);
      else this.#seen.add(path);
      return { path: spellWorkspacePath(path), operation, size: entry?.size ?? 0 };
    });
    return { artifacts, notKept: [] };
  }
}
