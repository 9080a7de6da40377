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
import { removeTree } from "./remove-tree.ts";

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

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
  readonly #root: number;
  readonly #witness: TreeWitness | null;
  /** The directory that was last written to: the next file is often beside it. */
  #last: HeldDirectory | null = null;
  #draftCount = 0;

  constructor(room: string, witness: TreeWitness | null = null) {
    this.#witness = witness;
    const base = `${room}/tree-${randomBytes(6).toString("hex")}`;
    this.path = `${base}/files`;
    this.#drafts = `${base}/drafts`;
    mkdirSync(base, { mode: 0o700 });
    mkdirSync(this.#drafts, { mode: 0o700 });
    mkdirSync(this.path, { mode: 0o755 });
    this.#root = openSync(this.path, DIRECTORY);
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
    if (this.#at(parent, "existing", (here) => this.#clear(`${here}/${name}`)) === "directory") this.forget();
    this.#witness?.removed(path);
    this.#prune(parent);
  }

  /** Removes what lies at a place in the tree, at once and whatever it is. */
  discard(place: string | Buffer): void {
    removeTree(place, () => this.#draft());
  }

  close(): void {
    this.forget();
    this.#witness?.closed();
    closeSync(this.#root);
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
        const kind = this.#moveTo(`${here}/${name}`, draft);
        this.#witness?.written(path, content, lstatSync(`${here}/${name}`, { bigint: true }));
        return kind;
      });
      if (cleared === "directory") this.forget(); // what is held may have been in it
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  #moveTo(place: string, draft: string): "directory" | "nothing" {
    let cleared: "directory" | "nothing" = "nothing";
    try {
      renameSync(draft, place);
    } catch (error) {
      if (!isCode(error, "EISDIR", "ENOTEMPTY", "EEXIST")) throw error;
      cleared = this.#clear(place);
      renameSync(draft, place);
    }
    return cleared;
  }

  #clear(place: string): "directory" | "nothing" {
    try {
      unlinkSync(place);
    } catch (error) {
      if (isCode(error, "ENOENT")) return "nothing";
      if (!isCode(error, "EISDIR", "EPERM")) throw error;
      this.discard(place);
      return "directory";
    }
    return "nothing";
  }

  #prune(path: string): void {
    for (let directory = path; directory !== "";) {
      const [parent, name] = splitPath(directory);
      if (this.#at(parent, "existing", (here) => tryRemoveDirectory(`${here}/${name}`)) !== true) return;
      this.forget();
      directory = parent;
    }
  }

  /** Calls `act` with a directory that is held while it acts; undefined when it is not there. */
  #at<T>(path: string, kind: "existing" | "made", act: (here: string) => T): T | undefined {
    if (path === "") return act(placeOf(this.#root));
    if (this.#last?.path === path) return act(placeOf(this.#last.fd));
    const fd = this.#open(path, kind);
    if (fd === null) return undefined;
    this.forget();
    this.#last = { path, fd };
    return act(placeOf(fd));
  }

  /** Component by component, each held while the next is looked for. null: it is not there. */
  #open(path: string, kind: "existing" | "made"): number | null {
    let held: number | null = this.#root;
    for (const name of path.split("/")) {
      const place: string = `${placeOf(held)}/${name}`;
      const next: number | null = kind === "made" ? makeDirectory(place) : tryOpenDirectory(place);
      if (held !== this.#root) closeSync(held);
      if (next === null) return null;
      held = next;
    }
    return held;
  }
}

function placeOf(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

function makeDirectory(place: string): number {
  const there = tryOpenDirectory(place);
  if (there !== null) return there;
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) unlinkSync(place);
  mkdirSync(place, { mode: 0o755 });
  return openSync(place, DIRECTORY);
}

function tryRemoveDirectory(place: string): boolean {
  try {
    rmdirSync(place);
    return true;
  } catch (error) {
    if (isCode(error, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

function tryOpenDirectory(place: string): number | null {
  try {
    return openSync(place, DIRECTORY);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    throw error;
  }
}

function splitPath(path: string): [parent: string, name: string] {
  if (path.split("/").some((name) => name === "" || name === "." || name === ".."))
    throw new TypeError(`${JSON.stringify(path)} is not a path below the workspace`);
  const cut = path.lastIndexOf("/");
  return [cut < 0 ? "" : path.slice(0, cut), path.slice(cut + 1)];
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}
