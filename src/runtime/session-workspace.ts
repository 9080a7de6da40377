// The workspace of a session, on both of its sides: the files that the tools see, and the tree that programs see.
// Invariant: what a program changed is in the workspace whole before its result is told; two calls at once keep each
// other's files; for one and the same file, the one that ends later stands.

import type { WorkspaceView } from "../action/action.ts";
import type { RunTreeChanges } from "../process/outcome.ts";
import type { OverlaySource } from "../sandbox/confine.ts";
import type { MaterializedTree } from "../sandbox/materialized-tree.ts";
import { ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { type SavedSession, saveSession } from "../store/saved-session.ts";
import type { WorkspaceStore } from "../store/workspaces.ts";
import type { Artifact, NotKept } from "../tools/tool.ts";
import { compareWorkspacePaths, spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { AppliedChange, ChangedPath, Workspace } from "../workspace/workspace.ts";
import { EmptyDirectories } from "./empty-directories.ts";
import { changesFromTree } from "./tree-changes.ts";

export interface Kept {
  readonly artifacts: readonly Artifact[];
  readonly notKept: readonly NotKept[];
}

export interface SessionWorkspaceOptions {
  readonly view: WorkspaceView;
  /** Empty, where it is in memory. */
  readonly files: Workspace;
  /** null: nothing can be run here. */
  readonly makeTree: () => MaterializedTree | null;
  /** null: it is thrown away with the gate. */
  readonly stored: { readonly store: WorkspaceStore; readonly session: SessionId } | null;
}

export class SessionWorkspace {
  readonly view: WorkspaceView;
  readonly files: Workspace;
  readonly #makeTree: () => MaterializedTree | null;
  readonly #stored: SessionWorkspaceOptions["stored"];
  #kept: SavedSession | null = null;
  #tree: MaterializedTree | null = null;
  /** The version of the files that the tree has. */
  #materializedVersion = 0;
  /** In a directory of the host: what was there when it was last looked at. */
  readonly #seen = new Set<WorkspacePath>();
  /** A workspace has files only; what programs made besides is kept for programs, as long as the gate is open. */
  readonly #directories = new EmptyDirectories();
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ view, files, makeTree, stored }: SessionWorkspaceOptions) {
    this.view = view;
    this.files = files;
    this.#makeTree = makeTree;
    this.#stored = stored;
  }

  /** Saves what changed here, and takes what other gates have saved in this session meanwhile. */
  sync(): Promise<Result<undefined>> {
    return this.#inTurn(() => this.#sync());
  }

  /** Takes what other gates have saved in this session. Nothing is written. */
  refresh(): Promise<Result<undefined>> {
    return this.#inTurn(async () => {
      const kept = await this.#load();
      if (!kept.ok) return kept;
      return kept.value === null ? ok(undefined) : await kept.value.refresh();
    });
  }

  /** Brings the tree in step with the files, and gives its place; undefined where programs see a directory of the host. */
  materialize(): Promise<OverlaySource | undefined> {
    return this.#inTurn(async () => {
      if (this.view.kind !== "memory") {
        await this.#scanForChanges();
        return undefined;
      }
      const since = await this.files.changesSince(this.#tree === null ? 0 : this.#materializedVersion);
      if (since.isWhole) this.#dropTree(); // what is not listed is not there
      const tree = (this.#tree ??= this.#makeTree());
      if (tree === null) return undefined;
      for (const changed of since.changed) await this.#materializeEntry(tree, changed);
      await this.#directories.materialize(tree, this.files);
      this.#materializedVersion = since.version;
      return { lower: tree.path };
    });
  }

  /** After a run: its changes become the workspace's. */
  importChanges(changes: RunTreeChanges | null): Promise<Kept> {
    return this.#inTurn(async () => {
      if (this.view.kind === "directory") return await this.#scanForChanges();
      if (changes === null) return { artifacts: [], notKept: [] };
      const { wanted, notKept, directories, gone } = await changesFromTree(changes, this.files);
      this.#directories.change(gone, directories);
      const applied = await this.files.apply(wanted);
      const saved = applied.ok ? await this.#sync() : applied;
      const lost = saved.ok ? [] : [{ path: "/workspace", reason: saved.failure.message }];
      const changed = applied.ok ? applied.value.changes.toSorted((a, b) => compareWorkspacePaths(a.path, b.path)) : [];
      return { artifacts: changed.flatMap(artifactOf), notKept: [...notKept, ...lost] };
    });
  }

  close(): void {
    this.#dropTree();
    void this.files.close();
  }

  async #materializeEntry(tree: MaterializedTree, { path, entry }: ChangedPath): Promise<void> {
    if (entry === undefined) return tree.remove(path);
    if (entry.target !== null) return tree.link(path, entry.target);
    const file = await this.files.read(path);
    if (file.ok) tree.write(path, file.value.bytes, entry.executable);
  }

  #dropTree(): void {
    this.#tree?.close();
    this.#tree = null;
  }

  /** A directory of the host: what is not as it was when it was last looked at. */
  async #scanForChanges(): Promise<Kept> {
    const since = await this.files.changesSince(this.#materializedVersion);
    this.#materializedVersion = since.version;
    const changed = since.changed.toSorted((a, b) => compareWorkspacePaths(a.path, b.path));
    const artifacts = changed.map(({ path, entry }): Artifact => {
      const operation = entry === undefined ? "delete" : this.#seen.has(path) ? "update" : "create";
      if (entry === undefined) this.#seen.delete(path);
      else this.#seen.add(path);
      return { path: spellWorkspacePath(path), operation, size: entry?.size ?? 0 };
    });
    return { artifacts, notKept: [] };
  }

  async #sync(): Promise<Result<undefined>> {
    const kept = await this.#load();
    if (!kept.ok) return kept;
    return kept.value === null ? ok(undefined) : await kept.value.save();
  }

  /** null: it is thrown away with the gate. */
  async #load(): Promise<Result<SavedSession | null>> {
    if (this.#stored === null || this.#kept !== null) return ok(this.#kept);
    const kept = await saveSession(this.files, this.#stored.store, this.#stored.session);
    if (kept.ok) this.#kept = kept.value;
    return kept;
  }

  /** One after the other: between looking and writing, nobody else changes anything. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

function artifactOf({ path, operation, size }: AppliedChange): Artifact[] {
  return operation === "unchanged" ? [] : [{ path: spellWorkspacePath(path), operation, size }];
}
