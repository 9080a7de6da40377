// Holds a directory open and reaches paths below it: it opens each directory on the way by its descriptor, one name at a time. This
// is what openat(2) does, implemented through /proc.
// Invariant: no link is followed, so nobody who changes the tree meanwhile can lead the gate out of it.

import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, rmdirSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

export const NO_FOLLOW = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const DIRECTORY = constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Errors which mean that the directory is missing, or something else has its name. Other errors mean that the check itself failed. */
const NO_DIRECTORY = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES"];

export type OpenedDirectory =
  | { readonly is: "open"; readonly descriptor: number }
  | { readonly is: "missing"; readonly deepest: string; readonly error: unknown } // the deepest part that exists
  | { readonly is: "blocked"; readonly at: string; readonly by: string; readonly error: unknown };

interface Barred {
  readonly by: string;
  readonly error: unknown;
}

/** Opens a directory inside a directory that is held open. Throws errors of the disk. */
export type OpenStep = (path: string) => number;

/** The path of a name in a directory that is held open. Throws TypeError if the name could lead out of that directory. */
export function nameIn(descriptor: number, name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/"))
    throw new TypeError(`${JSON.stringify(name)} is not a name in a directory`);
  return `/proc/self/fd/${descriptor}/${name}`;
}

/** A path's directory and its last name. For a single name, the directory is "". */
export function splitPath<Path extends string>(path: Path): [directory: Path, name: string] {
  const cut = path.lastIndexOf("/");
  if (cut === 0) throw new TypeError(`${JSON.stringify(path)} is not below a directory`);
  return [(cut < 0 ? "" : path.slice(0, cut)) as Path, path.slice(cut + 1)];
}

/** Throws if the last name is a link, or not a directory. */
export function openDirectory(path: string): number {
  return openSync(path, constants.O_RDONLY | DIRECTORY);
}

/** The same, but creates the directory if it is missing. */
export function openOrMakeDirectory(path: string): number {
  makeDirectory(path);
  return openDirectory(path);
}

/** Does nothing if the name exists. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** `path` is a real path. Throws ELOOP if it, or a directory above it, is a link by now. */
function openRealDirectory(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | DIRECTORY);
  // SECURITY(T36, T08, T11): the kernel tells the real path of the descriptor. If a link above had been followed, it would differ.
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === path) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error(`${path} is reached through a link`), { code: "ELOOP" });
}

export class DirectoryHandle {
  readonly path: string;
  readonly #root: number;
  readonly #barrier: (descriptor: number) => string | null;

  /**
   * `path` is a real path; throws if it no longer is. `barrier` says why a directory below must not be entered; null if it may be. `open`
   * opens the path itself: `openDirectory` for one of the gate's own, above which nobody can put a link.
   */
  constructor(
    path: string,
    barrier: (descriptor: number) => string | null = () => null,
    open: OpenStep = openRealDirectory,
  ) {
    this.path = path;
    this.#root = open(path);
    this.#barrier = barrier;
  }

  get descriptor(): number {
    return this.#root;
  }

  close(): void {
    closeSync(this.#root);
  }

  /** The caller must release the descriptor. "" is the directory itself. */
  open(path: string, step: OpenStep = openDirectory): OpenedDirectory {
    const names = path === "" ? [] : path.split("/");
    let descriptor = this.#root;
    for (const [depth, name] of names.entries()) {
      const next = this.#openBelow(descriptor, name, step);
      if (typeof next !== "number") {
        if (errorCode(next.error) === "ENOENT")
          return { is: "missing", deepest: names.slice(0, depth).join("/"), error: next.error };
        return { is: "blocked", at: names.slice(0, depth + 1).join("/"), ...next };
      }
      descriptor = next;
    }
    return { is: "open", descriptor };
  }

  release(descriptor: number): void {
    if (descriptor !== this.#root) closeSync(descriptor);
  }

  /** Calls `act` with the result of opening the directory. */
  enter<T>(path: string, act: (opened: OpenedDirectory) => T, step?: OpenStep): T {
    const opened = this.open(path, step);
    try {
      return act(opened);
    } finally {
      if (opened.is === "open") this.release(opened.descriptor);
    }
  }

  /** Calls `act` with the directory. Undefined if it cannot be opened, for any reason. */
  inside<T>(path: string, act: (descriptor: number) => T, step?: OpenStep): T | undefined {
    return this.enter(path, (opened) => (opened.is === "open" ? act(opened.descriptor) : undefined), step);
  }

  /** The same, but undefined only if it is missing or something else has its name. Throws other errors of the disk. */
  inDirectory<T>(path: string, act: (descriptor: number) => T): T | undefined {
    return this.enter(path, (opened) => {
      if (opened.is === "open") return act(opened.descriptor);
      if (NO_DIRECTORY.includes(errorCode(opened.error))) return undefined;
      throw opened.error;
    });
  }

  /** Calls `act` with the name of `path` in its directory, which is held open. Undefined as for `inDirectory`. */
  atPath<T>(path: string, act: (path: string) => T): T | undefined {
    if (path === "") return undefined; // the root has no name inside itself
    const [parent, name] = splitPath(path);
    return this.inDirectory(parent, (directory) => act(nameIn(directory, name)));
  }

  /** The same, but creates missing directories above. Throws if one cannot be created. */
  makeAt<T>(path: string, act: (path: string) => T): T {
    const [parent, name] = splitPath(path);
    return this.enter(
      parent,
      (opened) => {
        if (opened.is !== "open") throw opened.error;
        return act(nameIn(opened.descriptor, name));
      },
      openOrMakeDirectory,
    );
  }

  isDirectory(path: string): boolean {
    if (path === "") return true;
    return this.atPath(path, (found) => lstatSync(found, { throwIfNoEntry: false })?.isDirectory()) ?? false;
  }

  /** Removes the directory and those above it, up to the first that is not empty. */
  prune(directory: string): void {
    for (let path = directory; path !== ""; [path] = splitPath(path)) {
      const [parent, name] = splitPath(path);
      if (this.inside(parent, (descriptor) => isRemoved(nameIn(descriptor, name))) !== true) return;
    }
  }

  /** Releases the directory above in every case. */
  #openBelow(above: number, name: string, step: OpenStep): number | Barred {
    let descriptor: number;
    try {
      descriptor = step(nameIn(above, name));
    } catch (error) {
      if (errorCode(error) === "") throw error;
      return { by: "something that is no directory", error };
    } finally {
      this.release(above);
    }
    const by = this.#barrier(descriptor);
    if (by === null) return descriptor;
    closeSync(descriptor);
    return { by, error: Object.assign(new Error(`${name} is ${by}`), { code: "ENOTDIR" }) };
  }
}

function isRemoved(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return false; // it is not empty
  }
}
