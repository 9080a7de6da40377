// A workspace in a directory on the disk, which programs may change at the same time. Each access gives a new version to entries that
// it finds changed. To learn what changed since a version, it scans the whole tree.
// Invariant: it reads and writes nothing outside the directory, and nothing inside a `.git`.

import { readlinkSync, realpathSync } from "node:fs";
import { readAtMost, withPlainFile } from "../process/plain-file.ts";
import { matchesGlob } from "../shared/glob.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { isSameLink, planBatch, sameBytes } from "./batch.ts";
import { commitSteps, sweepStaging } from "./directory-commit.ts";
import { DirectoryHandle } from "../process/directory-handle.ts";
import { errorCode } from "../shared/error-code.ts";
import { entryAt, type FoundEntry, scanDirectory } from "./directory-scan.ts";
import { resolveLinks } from "./link.ts";
import { compareWorkspacePaths, rootPath, type WorkspacePath } from "./path.ts";
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

/** Throws if the path is not a directory. */
export function openDirectoryWorkspace(path: string, limits: WorkspaceLimits = workspaceLimits): Workspace {
  return new DirectoryWorkspace(new DirectoryHandle(realpathSync(path)), limits);
}

type SeenEntry = FoundEntry & WorkspaceEntry;

export class DirectoryWorkspace implements Workspace {
  protected handle: DirectoryHandle;
  readonly #limits: WorkspaceLimits;
  readonly #seen = new Map<WorkspacePath, SeenEntry>();
  /** For each deleted entry, the version at which its absence was noticed. */
  readonly #gone = new Map<WorkspacePath, number>();
  #bytes = 0;
  #version = 0;
  #isScanned = false;
  /** Deletions up to this version are forgotten. */
  #forgotten = 0;

  constructor(handle: DirectoryHandle, limits: WorkspaceLimits) {
    this.handle = handle;
    this.#limits = limits;
    sweepStaging(handle);
  }

  async entry(path: WorkspacePath): Promise<WorkspaceEntry | undefined> {
    return this.#look(path);
  }

  async isDirectory(path: WorkspacePath): Promise<boolean> {
    return this.handle.isDirectory(path);
  }

  async resolve(
    path: WorkspacePath,
    isSeen: (link: WorkspacePath) => boolean = () => true,
  ): Promise<Result<WorkspacePath>> {
    return resolveLinks(path, (at) =>
      isSeen(at) ? this.handle.atPath(at, (diskPath) => linkText(diskPath)) : undefined,
    );
  }

  async read(path: WorkspacePath): Promise<Result<WorkspaceFile>> {
    const entry = this.#look(path);
    if (entry?.kind === "symlink") return notReadable(path, "link");
    if (entry === undefined) return this.handle.isDirectory(path) ? notReadable(path, "directory") : fileNotFound(path);
    if (entry.size > this.#limits.fileBytes)
      return fail("tool_failed", `${path} has ${entry.size} bytes; a file may have ${this.#limits.fileBytes}.`);
    try {
      const bytes = this.#read(path);
      return bytes === undefined ? fileNotFound(path) : ok({ entry, bytes });
    } catch (error) {
      if (errorCode(error) === "") throw error;
      if (["ENOENT", "ELOOP"].includes(errorCode(error))) return fileNotFound(path);
      return fail("tool_failed", `${path} cannot be read (${errorCode(error)}).`);
    }
  }

  async list({ under = rootPath, glob, after = "", limit = Infinity }: ListOptions = {}): Promise<Page> {
    const prefix = under === rootPath ? "" : `${under}/`;
    const found = (await this.entriesBelow(under))
      .filter(({ path }) => path > after && (glob === undefined || matchesGlob(glob, path.slice(prefix.length))))
      .sort((a, b) => compareWorkspacePaths(a.path, b.path));
    const page = limit < found.length ? found.slice(0, limit) : found;
    return { entries: page.map((entry) => this.#note(entry)), more: page.length < found.length };
  }

  async apply(changes: readonly Change[]): Promise<Result<Applied>> {
    const isBounded = Number.isFinite(this.#limits.totalBytes);
    if (!this.#isScanned && isBounded) this.#scan();
    const batch = planBatch(changes, {
      limits: this.#limits,
      usage: this.#usage(),
      entryAt: (path) => this.#look(path),
      countBelow: (path) => [...scanDirectory(this.handle, path)].length,
      isSame: (entry, change) => this.#isSame(entry, change),
    });
    if (!batch.ok) return batch;
    const { steps } = batch.value;
    const real = steps.filter((step) => step.applied.operation !== "unchanged");
    const done = commitSteps(this.handle, real);
    if (!done.ok) return done;
    if (real.length > 0) this.#version += 1;
    for (const { change } of real) this.#look(change.path, this.#version);
    return ok({ version: this.#version, changes: steps.map((step) => step.applied) });
  }

  async version(): Promise<number> {
    this.#scan();
    return this.#version;
  }

  async changesSince(version: number): Promise<ChangesSince> {
    this.#scan();
    const isWhole = version < this.#forgotten;
    const changed = [...this.#seen.values()]
      .filter((entry) => isWhole || entry.version > version)
      .map((entry) => ({ path: entry.path, entry: entry as WorkspaceEntry | undefined }));
    for (const [path, when] of isWhole ? [] : this.#gone) if (when > version) changed.push({ path, entry: undefined });
    return { version: this.#version, isWhole, changed };
  }

  async usage(): Promise<Usage> {
    this.#scan();
    return this.#usage();
  }

  changeProblem(): null {
    return null;
  }

  async close(): Promise<void> {
    this.handle.close();
  }

  /** What a list of this directory shows, in no order. */
  protected async entriesBelow(under: WorkspacePath): Promise<FoundEntry[]> {
    return [...scanDirectory(this.handle, under)];
  }

  #usage(): Usage {
    return { files: this.#seen.size, bytes: this.#bytes };
  }

  #scan(): void {
    const here = new Set<WorkspacePath>();
    const version = this.#version + 1;
    for (const found of scanDirectory(this.handle, rootPath)) {
      here.add(found.path);
      this.#note(found, version);
    }
    for (const path of this.#seen.keys()) if (!here.has(path)) this.#forget(path, version);
    this.#isScanned = true;
  }

  #look(path: WorkspacePath, version?: number): SeenEntry | undefined {
    const found = this.handle.atPath(path, (diskPath) => entryAt(diskPath, path));
    if (found !== undefined) return this.#note(found, version);
    this.#forget(path, version);
    return undefined;
  }

  #note(found: FoundEntry, version = this.#version + 1): SeenEntry {
    const before = this.#seen.get(found.path);
    if (before?.stamp === found.stamp) return before;
    const entry: SeenEntry = { ...found, version };
    this.#seen.set(found.path, entry);
    this.#gone.delete(found.path);
    this.#bytes += entry.size - (before?.size ?? 0);
    this.#version = version;
    return entry;
  }

  #forget(path: WorkspacePath, version = this.#version + 1): void {
    const before = this.#seen.get(path);
    if (before === undefined) return;
    this.#seen.delete(path);
    this.#gone.set(path, version);
    this.#bytes -= before.size;
    this.#version = version;
    if (this.#gone.size <= this.#limits.fileCount) return;
    this.#gone.clear();
    this.#forgotten = version;
  }

  /** SECURITY(T37): a program may have replaced the file by a pipe that nobody writes to, or by a link, or have made it larger. */
  #read(path: WorkspacePath): Uint8Array | undefined {
    const bytes = this.handle.atPath(path, (diskPath) =>
      withPlainFile(diskPath, (file, { size }) => readAtMost(file, Number(size), this.#limits.fileBytes)),
    );
    return bytes === undefined || bytes === null ? undefined : new Uint8Array(bytes);
  }

  #isSame(entry: WorkspaceEntry, change: Change): boolean {
    if (change.operation !== "write") return isSameLink(entry, change);
    if (entry.kind !== "file" || entry.executable !== change.executable || entry.size !== change.bytes.length)
      return false;
    try {
      const bytes = this.#read(entry.path);
      return bytes !== undefined && sameBytes(bytes, change.bytes);
    } catch {
      return false;
    }
  }
}

function linkText(diskPath: string): string | undefined {
  try {
    return readlinkSync(diskPath);
  } catch {
    return undefined; // not a link, or absent
  }
}
