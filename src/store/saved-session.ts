// Keeps a workspace in step with what is stored of its session: filled from it once, then saved by what changed, and
// what other gates have saved of the same session comes in with each save.
// Invariant: what came from the store is not saved again, so that a gate never writes an old state over a newer one.

import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { rootPath, type WorkspacePath } from "../workspace/path.ts";
import type { Applied, Change, Workspace } from "../workspace/workspace.ts";
import type { ForeignChanges, WorkspaceStore } from "./workspaces.ts";

export interface SavedSession {
  readonly workspace: Workspace;
  /** When it is done, everything that was in the workspace when it was called is on disk. */
  save(): Promise<Result<undefined>>;
  /** Takes what other gates have saved meanwhile. Nothing is written to the store. */
  refresh(): Promise<Result<undefined>>;
}

const TRIES = 5;
const GONE = 0;

/** `workspace` is empty; what is stored of the session is put into it. */
export async function saveSession(
  workspace: Workspace,
  store: WorkspaceStore,
  session: SessionId,
): Promise<Result<SavedSession>> {
  const stored = store.load(session);
  const filled = await workspace.apply(stored.changes);
  return filled.ok ? ok(new SessionSaver(workspace, store, session, stored.version, filled.value.version)) : filled;
}

class SessionSaver implements SavedSession {
  readonly workspace: Workspace;
  readonly #store: WorkspaceStore;
  readonly #session: SessionId;
  /** The store's version, and the workspace's, that are in step. */
  #stored: number;
  #saved: number;
  /** At which version of the workspace something came in from the store; GONE for what was deleted. */
  readonly #merged = new Map<WorkspacePath, number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(workspace: Workspace, store: WorkspaceStore, session: SessionId, stored: number, saved: number) {
    this.workspace = workspace;
    this.#store = store;
    this.#session = session;
    this.#stored = stored;
    this.#saved = saved;
  }

  save(): Promise<Result<undefined>> {
    return this.#inTurn(() => this.#save());
  }

  refresh(): Promise<Result<undefined>> {
    return this.#inTurn(() => this.#merge(this.#store.changesSince(this.#session, this.#stored), new Set()));
  }

  #inTurn(work: () => Promise<Result<undefined>>): Promise<Result<undefined>> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #save(): Promise<Result<undefined>> {
    const since = await this.workspace.changesSince(this.#saved);
    const changes: Change[] = [];
    for (const { path, entry } of since.changed) {
      if (this.#merged.get(path) === (entry?.version ?? GONE)) continue;
      const change = await this.#changeAt(path);
      if (change !== undefined) changes.push(change);
    }
    const saved = this.#store.save(this.#session, this.#stored, changes);
    if (!saved.ok) return saved;
    this.#saved = since.version;
    this.#merged.clear();
    for (let tries = 0; tries < TRIES; tries += 1) {
      const merged = await this.#merge(saved.value, new Set(changes.map(({ path }) => path)));
      if (merged.ok) {
        this.#stored = saved.value.version;
        return ok(undefined);
      }
      if (merged.failure.error !== "conflict") return merged;
    }
    // Not noted as in step: the next save brings them again.
    return fail("conflict", "What another gate has saved of this session does not fit with what is here.", {
      hint: "Delete or rename the file that stands where the other has a directory, or the other way round.",
    });
  }

  /** As it is now, which may be later than what was asked about; it is then told once more, and is the same. */
  async #changeAt(path: WorkspacePath): Promise<Change | undefined> {
    const entry = await this.workspace.entry(path);
    if (entry === undefined) return { operation: "delete", path };
    if (entry.target !== null) return { operation: "link", path, target: entry.target };
    const file = await this.workspace.read(path);
    if (!file.ok) return undefined; // gone this moment: the next save tells
    return { operation: "write", path, bytes: file.value.bytes, executable: file.value.entry.executable };
  }

  async #merge({ theirs, isWhole }: ForeignChanges, ours: ReadonlySet<WorkspacePath>): Promise<Result<undefined>> {
    const changes: Change[] = [];
    for (const change of [...theirs, ...(isWhole ? await this.#missing(theirs, ours) : [])]) {
      const now = await this.workspace.entry(change.path);
      // Changed here after the save: ours is the later one, and the next save stores it.
      const isTheirs = this.#merged.get(change.path) === (now?.version ?? GONE);
      if (isTheirs || (now?.version ?? 0) <= this.#saved) changes.push({ ...change, basedOn: now?.version ?? 0 });
    }
    const applied = await this.workspace.apply(changes);
    if (applied.ok) this.#note(applied.value);
    return applied.ok ? ok(undefined) : applied;
  }

  async #missing(theirs: readonly Change[], ours: ReadonlySet<WorkspacePath>): Promise<Change[]> {
    const there = new Set(theirs.map(({ path }) => path));
    const { entries } = await this.workspace.list({ under: rootPath });
    return entries
      .filter(({ path, version }) => !there.has(path) && !ours.has(path) && version <= this.#saved)
      .map(({ path }) => ({ operation: "delete", path }));
  }

  #note({ version, changes }: Applied): void {
    for (const { path, operation } of changes) {
      if (operation !== "unchanged") this.#merged.set(path, operation === "delete" ? GONE : version);
    }
  }
}
