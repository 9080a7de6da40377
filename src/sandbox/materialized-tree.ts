// The files of a workspace in memory, written to a directory that programs can see: the lower layer of each call's overlay.
// Invariant: it follows no link, and replaces files instead of changing them in place, because a mounted overlay may show them.

import { randomBytes } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { DirectoryHandle, nameIn, openDirectory, splitPath } from "../process/directory-handle.ts";
import { errorCode } from "../shared/error-code.ts";
import { removeTree } from "./remove-tree.ts";

/** What was written at a path. The bytes belong to the caller, who never changes them. */
export type MaterializedContent =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: "link"; readonly target: string };

/** Is told of each change, so that it can later compare the directory with what was written. */
export interface TreeWitness {
  written(path: string, content: MaterializedContent, found: BigIntStats): void;
  removed(path: string): void;
  closed(): void;
}

interface HeldDirectory {
  readonly path: string;
  readonly fd: number;
}

export class MaterializedTree {
  /** The directory's path. Its parent is private to the gate. */
  readonly path: string;
  /** A directory on the same disk. New files are written here first, and replaced directories are moved here. */
  readonly #drafts: string;
  readonly #root: DirectoryHandle;
  readonly #witness: TreeWitness | null;
  /** The directory that was last written to, kept open because the next file is often in it. */
  #last: HeldDirectory | null = null;
  #draftCount = 0;

  constructor(directory: string, witness: TreeWitness | null = null) {
    this.#witness = witness;
    const base = `${directory}/tree-${randomBytes(6).toString("hex")}`;
    this.path = `${base}/files`;
    this.#drafts = `${base}/drafts`;
    mkdirSync(base, { mode: 0o700 });
    mkdirSync(this.#drafts, { mode: 0o700 });
    mkdirSync(this.path, { mode: 0o755 });
    this.#root = new DirectoryHandle(this.path);
  }

  /** Replaces whatever is at the path. Makes parent directories, and removes files that are in their way. */
  write(path: string, bytes: Uint8Array, executable: boolean): void {
    this.#put(path, { kind: "file", bytes, executable }, (draft) => {
      const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        writeFileSync(fd, bytes);
        fchmodSync(fd, executable ? 0o755 : 0o644); // independent of the umask
      } finally {
        closeSync(fd);
      }
    });
  }

  /** Does not check the target, because only programs in their boxes follow the link. */
  link(path: string, target: string): void {
    this.#put(path, { kind: "link", target }, (draft) => symlinkSync(target, draft));
  }

  /** Makes the directory. Replaces a file or link at its path. */
  makeDirectory(path: string): void {
    this.#at(path, "made", () => undefined);
  }

  /** Removes the directory only if it is empty. */
  removeDirectory(path: string): void {
    this.#prune(path);
  }

  /** Removes the file, link or directory at the path, and the parent directories that become empty. */
  remove(path: string): void {
    const [parent, name] = splitPath(path);
    if (this.#at(parent, "existing", (here) => this.#clear(nameIn(here, name))) === "directory") this.forget();
    this.#witness?.removed(path);
    this.#prune(parent);
  }

  /** Removes whatever is at a disk path in the tree. */
  discard(path: string | Buffer): void {
    removeTree(path, () => this.#draft());
  }

  close(): void {
    this.forget();
    this.#witness?.closed();
    this.#root.close();
    this.discard(this.path);
    rmSync(this.path.slice(0, -"/files".length), { recursive: true, force: true });
  }

  /** Closes the cached directory. Call this if a program may have changed the directories. */
  forget(): void {
    if (this.#last !== null) closeSync(this.#last.fd);
    this.#last = null;
  }

  #draft(): string {
    this.#draftCount += 1;
    return `${this.#drafts}/${this.#draftCount}`;
  }

  #put(path: string, content: MaterializedContent, make: (draft: string) => void): void {
    const [parent, name] = splitPath(path);
    const draft = this.#draft();
    try {
      make(draft);
      const cleared = this.#at(parent, "made", (here) => {
        const kind = this.#moveTo(nameIn(here, name), draft);
        this.#witness?.written(path, content, lstatSync(nameIn(here, name), { bigint: true }));
        return kind;
      });
      if (cleared === "directory") this.forget(); // the cached directory may have been inside
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  #moveTo(path: string, draft: string): "directory" | "nothing" {
    let cleared: "directory" | "nothing" = "nothing";
    try {
      renameSync(draft, path);
    } catch (error) {
      if (!isCode(error, "EISDIR", "ENOTEMPTY", "EEXIST")) throw error;
      cleared = this.#clear(path);
      renameSync(draft, path);
    }
    return cleared;
  }

  #clear(path: string): "directory" | "nothing" {
    try {
      unlinkSync(path);
    } catch (error) {
      if (isCode(error, "ENOENT")) return "nothing";
      if (!isCode(error, "EISDIR", "EPERM")) throw error;
      this.discard(path);
      return "directory";
    }
    return "nothing";
  }

  #prune(path: string): void {
    for (let directory = path; directory !== "";) {
      const [parent, name] = splitPath(directory);
      if (this.#at(parent, "existing", (here) => tryRemoveDirectory(nameIn(here, name))) !== true) return;
      this.forget();
      directory = parent;
    }
  }

  /** Calls `act` with the directory's open descriptor. Undefined if the directory does not exist. */
  #at<T>(path: string, kind: "existing" | "made", act: (here: number) => T): T | undefined {
    if (path === "") return act(this.#root.descriptor);
    if (this.#last?.path === path) return act(this.#last.fd);
    const opened = this.#root.open(path, kind === "made" ? openInPlace : openDirectory);
    if (opened.is !== "open") {
      if (kind === "existing" && isCode(opened.error, "ENOENT", "ENOTDIR", "ELOOP")) return undefined;
      throw opened.error;
    }
    this.forget();
    this.#last = { path, fd: opened.descriptor };
    return act(opened.descriptor);
  }
}

/** Makes the directory and replaces anything else at its path. */
function openInPlace(path: string): number {
  try {
    return openDirectory(path);
  } catch (error) {
    if (!isCode(error, "ENOENT", "ENOTDIR", "ELOOP")) throw error;
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) unlinkSync(path);
  mkdirSync(path, { mode: 0o755 });
  return openDirectory(path);
}

function tryRemoveDirectory(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (isCode(error, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(error));
}
