// A workspace as one agent may use it: it refuses to read files that the agent may not see, and to change files that it may not change.
// Invariant: the path that is checked is the path of the file that is opened, because the workspace follows no link.

import { type Failure } from "../shared/failure.ts";
import type { Result } from "../shared/result.ts";
import type { WorkspacePath } from "./path.ts";
import type {
  Applied,
  Change,
  ChangesSince,
  WorkspaceEntry,
  ListOptions,
  Page,
  Usage,
  Workspace,
  WorkspaceFile,
} from "./workspace.ts";

export interface FileRights {
  /** Why the agent may not see the file. Null if it may. */
  readProblem(path: WorkspacePath): Failure | null;
  /** Why the agent may not change, make or remove the file. Null if it may. */
  changeProblem(path: WorkspacePath): Failure | null;
  /** Counts bytes that are about to be written. Returns why there is no room for them, or null. */
  reserve?(bytes: number): Failure | null;
}

export function limitWorkspace(files: Workspace, rights: FileRights): Workspace {
  return new LimitedWorkspace(files, rights);
}

class LimitedWorkspace implements Workspace {
  readonly #files: Workspace;
  readonly #rights: FileRights;

  constructor(files: Workspace, rights: FileRights) {
    this.#files = files;
    this.#rights = rights;
  }

  get ignoreRules(): string {
    return this.#files.ignoreRules ?? "";
  }

  /** As in a box, the agent sees only the name of a hidden file. */
  async entry(path: WorkspacePath): Promise<WorkspaceEntry | undefined> {
    const entry = await this.#files.entry(path);
    return entry === undefined ? undefined : this.#shown(entry);
  }

  isDirectory(path: WorkspacePath): Promise<boolean> {
    return this.#files.isDirectory(path);
  }

  resolve(path: WorkspacePath): Promise<Result<WorkspacePath>> {
    return this.#files.resolve(path, (link) => !this.#liesInHidden(link));
  }

  async read(path: WorkspacePath): Promise<Result<WorkspaceFile>> {
    // SECURITY(T46): the file tools can read only what a box can read.
    const problem = this.#rights.readProblem(path);
    return problem === null ? await this.#files.read(path) : { ok: false, failure: problem };
  }

  /** Leaves out entries in a hidden directory, because a box shows that directory empty. */
  async list(options?: ListOptions): Promise<Page> {
    const { entries, more } = await this.#files.list(options);
    const shown = entries.filter(({ path }) => !this.#liesInHidden(path)).map((entry) => this.#shown(entry));
    return { entries: shown, more };
  }

  async apply(changes: readonly Change[]): Promise<Result<Applied>> {
    for (const { path } of changes) {
      // SECURITY(T46): the file tools can change only what a box can change.
      const problem = this.#rights.changeProblem(path);
      if (problem !== null) return { ok: false, failure: problem };
    }
    const bytes = changes.reduce((sum, change) => sum + (change.operation === "write" ? change.bytes.length : 0), 0);
    const full = bytes === 0 ? null : (this.#rights.reserve?.(bytes) ?? null);
    return full === null ? await this.#files.apply(changes) : { ok: false, failure: full };
  }

  version(): Promise<number> {
    return this.#files.version();
  }

  changesSince(version: number): Promise<ChangesSince> {
    return this.#files.changesSince(version);
  }

  usage(): Promise<Usage> {
    return this.#files.usage();
  }

  changeProblem(path: WorkspacePath): Failure | null {
    return this.#rights.changeProblem(path);
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  #shown(entry: WorkspaceEntry): WorkspaceEntry {
    // A link has no content. Its target is checked under its own path.
    return entry.kind === "file" && this.#rights.readProblem(entry.path) !== null ? { ...entry, size: 0 } : entry;
  }

  #liesInHidden(path: WorkspacePath): boolean {
    const cut = path.lastIndexOf("/");
    return cut > 0 && this.#rights.readProblem(path.slice(0, cut) as WorkspacePath) !== null;
  }
}
