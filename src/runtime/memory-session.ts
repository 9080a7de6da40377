// A session's workspace in memory. The gate materializes its files in a private directory. Each call sees them through its own overlay,
// and its changes come back as data. The agent may use all of it.

import type { WorkspaceView } from "../action/action.ts";
import type { RunTreeChanges } from "../process/outcome.ts";
import { type BoxWorkspace, overlayWorkspace } from "../sandbox/box-workspace.ts";
import type { MaterializedTree } from "../sandbox/materialized-tree.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import type { Failure } from "../shared/failure.ts";
import { ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { type SavedSession, saveSession } from "../store/saved-session.ts";
import type { WorkspaceStore } from "../store/workspaces.ts";
import { isSameView } from "../workspace/location.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import { MemoryLocation } from "../workspace/memory-location.ts";
import { workspaceRoot } from "../workspace/path.ts";
import type { ChangedPath, Workspace } from "../workspace/workspace.ts";
import { EmptyDirectories } from "./empty-directories.ts";
import type { CallNotes, CallStart, ImportedChanges, SessionWorkspace } from "./session-workspace.ts";
import { importTree } from "./tree-changes.ts";

interface SessionStorage {
  /** The workspace closes it. */
  readonly store: WorkspaceStore;
  readonly session: SessionId;
}

/** If there can be no draft: refuses every call, or tells the agent with the first one. */
export interface InsteadOfDraft {
  readonly refusal?: Failure;
  readonly note?: string;
}

export class MemorySession extends MemoryLocation implements SessionWorkspace {
  readonly firstCommit = null;
  readonly inProject = null;
  readonly #makeTree: () => MaterializedTree | null;
  readonly #stored: SessionStorage | null;
  #saved: SavedSession | null = null;
  readonly #refusal: Failure | null;
  /** For the first call. */
  #note: string | null;
  #tree: MaterializedTree | null = null;
  /** The version of the files in the tree. */
  #treeVersion = 0;
  /** A workspace has only files. Empty directories that programs made are kept for later programs while the gate is open. */
  readonly #directories = new EmptyDirectories();
  readonly #turns = new OneAtATime();

  /** `makeTree` returns null if nothing can run here. `stored` is null if the session ends with the gate. */
  constructor(makeTree: () => MaterializedTree | null, stored: SessionStorage | null, instead: InsteadOfDraft = {}) {
    super(createMemoryWorkspace());
    this.#makeTree = makeTree;
    this.#stored = stored;
    this.#refusal = instead.refusal ?? null;
    this.#note = instead.note ?? null;
  }

  repositoryAt(): null {
    return null;
  }

  projectPull(): null {
    return null;
  }

  filesFor(): Workspace {
    return this.files;
  }

  materialize(granted: WorkspaceView): Promise<BoxWorkspace | null> {
    return this.#turns.run(async () => {
      if (!isSameView(granted, this.view)) return null;
      const since = await this.files.changesSince(this.#tree === null ? 0 : this.#treeVersion);
      if (since.isWhole) this.#dropTree(); // paths that are not listed do not exist
      const tree = (this.#tree ??= this.#makeTree());
      if (tree === null) return null;
      for (const changed of since.changed) await this.#materializeEntry(tree, changed);
      await this.#directories.materialize(tree, this.files);
      this.#treeVersion = since.version;
      return overlayWorkspace(this.view, { lower: tree.path });
    });
  }

  importChanges(changes: RunTreeChanges | null): Promise<ImportedChanges> {
    return this.#turns.run(async () => {
      if (changes === null) return { artifacts: [], notKept: [] };
      const imported = await importTree(changes, this.files);
      this.#directories.change(imported.gone, imported.directories);
      const { applied, artifacts, notKept } = imported;
      const saved = applied.ok ? await this.#save() : null;
      const lost = saved === null || saved.ok ? [] : [{ path: workspaceRoot, reason: saved.failure.message }];
      return { artifacts, notKept: [...notKept, ...lost] };
    });
  }

  async begin({ isDryRun }: CallStart): Promise<Result<CallNotes>> {
    if (this.#refusal !== null) return { ok: false, failure: this.#refusal };
    const loaded = await this.#turns.run(() => (isDryRun ? this.#refresh() : this.#save()));
    if (!loaded.ok) return loaded;
    const workspace = this.#note;
    if (!isDryRun) this.#note = null;
    return ok(workspace === null ? {} : { workspace });
  }

  sync(): Promise<Result<undefined>> {
    return this.#turns.run(() => this.#save());
  }

  close(): void {
    this.#dropTree();
    void this.files.close();
    this.#stored?.store.close();
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

  async #refresh(): Promise<Result<undefined>> {
    const saved = await this.#load();
    if (!saved.ok) return saved;
    return saved.value === null ? ok(undefined) : await saved.value.refresh();
  }

  async #save(): Promise<Result<undefined>> {
    const saved = await this.#load();
    if (!saved.ok) return saved;
    return saved.value === null ? ok(undefined) : await saved.value.save();
  }

  /** Null if the session ends with the gate. */
  async #load(): Promise<Result<SavedSession | null>> {
    if (this.#stored === null || this.#saved !== null) return ok(this.#saved);
    const saved = await saveSession(this.files, this.#stored.store, this.#stored.session);
    if (saved.ok) this.#saved = saved.value;
    return saved;
  }
}
