// The files of a workspace in memory, laid out as a plain tree for programs to see: the lower side of each call's overlay.
// Invariant: no link is followed, and a file is never changed in place but replaced, because an overlay that is in use may show it.

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

/** What was laid at a path. The bytes are the caller's own, which never change. */
export type MaterializedContent =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: "link"; readonly target: string };

/** Hears of each change, for whoever compares the tree with itself later. */
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
  /** The directory. Its parent is private to the gate. */
  readonly path: string;
  /** On the same disk: where new files are made, and where directories go that something else takes the place of. */
  readonly #drafts: string;
  readonly #root: DirectoryHandle;
  readonly #witness: TreeWitness | null;
  /** The directory that was last written to: the next file is often beside it. */
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

  /** In the place of whatever is there. Directories above are made; a file in their place goes. */
  write(path: string, bytes: Uint8Array, executable: boolean): void {
    this.#put(path, { kind: "file", bytes, executable }, (draft) => {
      const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        writeFileSync(fd, bytes);
        fchmodSync(fd, executable ? 0o755 : 0o644); // whatever the umask says
      } finally {
        closeSync(fd);
      }
    });
  }

  /** The text is not looked at: a link is followed by programs, in their boxes. */
  link(path: string, target: string): void {
    this.#put(path, { kind: "link", target }, (draft) => symlinkSync(target, draft));
  }

  /** Where nothing else has its name. */
  makeDirectory(path: string): void {
    this.#at(path, "made", () => undefined);
  }

  /** Only if it is empty. */
  removeDirectory(path: string): void {
    this.#prune(path);
  }

  /** The file, link or directory of this name, and the directories above it that are empty then. */
  remove(path: string): void {
    const [parent, name] = splitPath(path);
    if (this.#at(parent, "existing", (here) => this.#clear(nameIn(here, name))) === "directory") this.forget();
    this.#witness?.removed(path);
    this.#prune(parent);
  }

  /** Removes what lies at a place in the tree, at once and whatever it is. */
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

  /** Somebody else may have changed the directories. */
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
      if (cleared === "directory") this.forget(); // what is held may have been in it
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

  /** Calls `act` with a directory that is held while it acts; undefined when it is not there. */
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

/** Makes the directory in the place of whatever else has its name. */
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
