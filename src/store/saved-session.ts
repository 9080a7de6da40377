// Keeps a workspace in sync with the store: it loads the session once, then saves what changed. Each save also brings in what
// other gates have saved of the same session.
// Invariant: a change that came from the store is not saved again, so that a gate never overwrites a newer state with an old one.

import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { rootPath, type WorkspacePath } from "../workspace/path.ts";
import type { Applied, Change, Workspace } from "../workspace/workspace.ts";
import type { ForeignChanges, WorkspaceStore } from "./workspaces.ts";

export interface SavedSession {
  readonly workspace: Workspace;
  /** When it resolves, everything that was in the workspace at the time of the call is on disk. */
  save(): Promise<Result<undefined>>;
  /** Applies what other gates have saved meanwhile. It writes nothing to the store. */
  refresh(): Promise<Result<undefined>>;
}

const TRIES = 5;
const GONE = 0;

/** `workspace` must be empty. The stored session is loaded into it. */
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
  /** The versions of the store and of the workspace that are in sync. */
  #stored: number;
  #saved: number;
  /** The version of the workspace at which a change came in from the store; GONE for a deletion. */
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
    // Most calls change no file. A save would wait for the disk several times.
    if (changes.length === 0 && this.#store.isCurrent(this.#session, this.#stored)) return ok(undefined);
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
    // `#stored` stays unchanged, so the next save brings these changes again.
    return fail("conflict", "What another gate has saved of this session does not fit with what is here.", {
      hint: "Delete or rename the file that stands where the other has a directory, or the other way round.",
    });
  }

  /** The current state of the path, which may be newer than the change. Then the next save reports it again, with the same content. */
  async #changeAt(path: WorkspacePath): Promise<Change | undefined> {
    const entry = await this.workspace.entry(path);
    if (entry === undefined) return { operation: "delete", path };
    if (entry.target !== null) return { operation: "link", path, target: entry.target };
    const file = await this.workspace.read(path);
    if (!file.ok) return undefined; // the file has just been deleted: the next save reports it
    return { operation: "write", path, bytes: file.value.bytes, executable: file.value.entry.executable };
  }

  async #merge({ theirs, isWhole }: ForeignChanges, ours: ReadonlySet<WorkspacePath>): Promise<Result<undefined>> {
    const changes: Change[] = [];
    for (const change of [...theirs, ...(isWhole ? await this.#missing(theirs, ours) : [])]) {
      const now = await this.workspace.entry(change.path);
      // If the path changed in this workspace after the save, this version is newer, and the next save stores it.
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
