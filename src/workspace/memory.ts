// A workspace in memory: a map of paths to bytes. Nothing is on a disk, unless a keeper stores it.
// Invariant: only `apply` changes the map, after it checked, copied and kept the whole batch, and within one turn of the event loop. So
// no caller sees half of a batch.

import { matchesGlob } from "../shared/glob.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { type Batch, isSameLink, planBatch, sameBytes, type BatchStep } from "./batch.ts";
import { resolveLinks } from "./link.ts";
import { ChangeLog } from "./memory-log.ts";
import { PathOrder } from "./memory-order.ts";
import { parentsOf, rootPath, type WorkspacePath } from "./path.ts";
import { fileNotFound, notReadable } from "./refusal.ts";
import {
  type Applied,
  type Change,
  type ChangesSince,
  type WorkspaceEntry,
  type ListOptions,
  type Page,
  type Usage,
  type Workspace,
  type WorkspaceFile,
  type WorkspaceLimits,
  workspaceLimits,
} from "./workspace.ts";

/** Stores each batch before it takes effect. */
export interface BatchKeeper {
  /** The changes of one batch, without those that change nothing. If this fails, the batch is refused. */
  keep(changes: readonly Change[]): Result<undefined>;
  close(): void;
}

/** `keeper`: where the workspace lasts longer than the memory. */
export function createMemoryWorkspace(limits: WorkspaceLimits = workspaceLimits, keeper?: BatchKeeper): Workspace {
  return new MemoryWorkspace(limits, keeper);
}

class MemoryWorkspace implements Workspace {
  readonly #limits: WorkspaceLimits;
  readonly #keeper: BatchKeeper | undefined;
  /** Includes links, which have no bytes. */
  readonly #files = new Map<WorkspacePath, WorkspaceFile>();
  /** The number of entries below each directory. */
  readonly #directories = new Map<WorkspacePath, number>();
  readonly #order = new PathOrder();
  readonly #log = new ChangeLog();
  #usage: Usage = { files: 0, bytes: 0 };

  constructor(limits: WorkspaceLimits, keeper: BatchKeeper | undefined) {
    this.#limits = limits;
    this.#keeper = keeper;
  }

  async entry(path: WorkspacePath): Promise<WorkspaceEntry | undefined> {
    return this.#files.get(path)?.entry;
  }

  async isDirectory(path: WorkspacePath): Promise<boolean> {
    return path === rootPath || this.#directories.has(path);
  }

  async resolve(
    path: WorkspacePath,
    isSeen: (link: WorkspacePath) => boolean = () => true,
  ): Promise<Result<WorkspacePath>> {
    return resolveLinks(path, (at) => (isSeen(at) ? (this.#files.get(at)?.entry.target ?? undefined) : undefined));
  }

  async read(path: WorkspacePath): Promise<Result<WorkspaceFile>> {
    const file = this.#files.get(path);
    if (file?.entry.kind === "file") return ok(file);
    if (file !== undefined) return notReadable(path, "link");
    return this.#directories.has(path) || path === rootPath ? notReadable(path, "directory") : fileNotFound(path);
  }

  async list({ under = rootPath, glob, after = "", limit = Infinity }: ListOptions = {}): Promise<Page> {
    const prefix = under === rootPath ? "" : `${under}/`;
    const entries: WorkspaceEntry[] = [];
    for (const path of this.#order.from(prefix, after, (one) => this.#files.has(one))) {
      if (glob !== undefined && !matchesGlob(glob, path.slice(prefix.length))) continue;
      if (entries.length === limit) return { entries, more: true };
      entries.push((this.#files.get(path) as WorkspaceFile).entry);
    }
    return { entries, more: false };
  }

  async apply(changes: readonly Change[]): Promise<Result<Applied>> {
    const batch = planBatch(changes, {
      limits: this.#limits,
      usage: this.#usage,
      entryAt: (path) => this.#files.get(path)?.entry,
      countBelow: (path) => this.#directories.get(path) ?? 0,
      isSame: (entry, change) => this.#isSame(entry, change),
    });
    return batch.ok ? this.#commit(batch.value) : batch;
  }

  async version(): Promise<number> {
    return this.#log.version;
  }

  async changesSince(version: number): Promise<ChangesSince> {
    const paths = this.#log.pathsSince(version, (path) => this.#files.get(path)?.entry.version);
    return {
      version: this.#log.version,
      isWhole: paths === undefined,
      changed:
        paths === undefined
          ? [...this.#files.values()].map(({ entry }) => ({ path: entry.path, entry }))
          : paths.map((path) => ({ path, entry: this.#files.get(path)?.entry })),
    };
  }

  async usage(): Promise<Usage> {
    return this.#usage;
  }

  changeProblem(): null {
    return null;
  }

  async close(): Promise<void> {
    this.#keeper?.close();
  }

  #commit({ steps, usage }: Batch): Result<Applied> {
    const changes = steps.map((step) => step.applied);
    const real = steps.filter((step) => step.applied.operation !== "unchanged");
    if (real.length === 0) return ok({ version: this.#log.version, changes });
    const version = this.#log.version + 1;
    let made: (WorkspaceFile | undefined)[];
    try {
      made = real.map((step) => fileOf(step, version)); // fails if there is no memory left
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return fail("tool_failed", "There is not enough memory for these files.", { hint: "Write less at a time." });
    }
    const kept = this.#keeper?.keep(real.map(({ change }) => change));
    if (kept?.ok === false) return kept;
    real.forEach((step, index) => this.#set(step, made[index]));
    this.#usage = usage;
    this.#log.add(
      real.map((step) => step.change.path),
      (path) => this.#files.get(path)?.entry.version,
    );
    return ok({ version, changes });
  }

  #set({ change: { path }, before }: BatchStep, file: WorkspaceFile | undefined): void {
    if (file === undefined) this.#files.delete(path);
    else this.#files.set(path, file);
    const difference = (file === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    if (difference === 0) return;
    if (file === undefined) this.#order.remove();
    else this.#order.add(path);
    for (const parent of parentsOf(path)) {
      const count = (this.#directories.get(parent) ?? 0) + difference;
      if (count === 0) this.#directories.delete(parent);
      else this.#directories.set(parent, count);
    }
  }

  #isSame(entry: WorkspaceEntry, change: Change): boolean {
    if (change.operation !== "write") return isSameLink(entry, change);
    if (entry.kind !== "file" || entry.executable !== change.executable) return false;
    return sameBytes((this.#files.get(entry.path) as WorkspaceFile).bytes, change.bytes);
  }
}

const nothing = new Uint8Array(0);

function fileOf({ change, applied: { size } }: BatchStep, version: number): WorkspaceFile | undefined {
  const { path } = change;
  switch (change.operation) {
    case "write": {
      const entry: WorkspaceEntry = { path, kind: "file", size, executable: change.executable, target: null, version };
      // Copies the bytes, because the caller may change its array, which may also be a view of a larger buffer.
      return { entry, bytes: new Uint8Array(change.bytes) };
    }
    case "link": {
      const entry: WorkspaceEntry = { path, kind: "symlink", size, executable: false, target: change.target, version };
      return { entry, bytes: nothing };
    }
    case "delete":
      return undefined;
  }
}
