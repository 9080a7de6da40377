// A directory that is held open, and what lies below it: each directory on the way is entered by its descriptor, one name at
// a time. This is what openat(2) does, by way of /proc.
// Invariant: no link is followed, so nobody who changes the tree meanwhile can lead us out of it.

import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, rmdirSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";

export const NO_FOLLOW = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const DIRECTORY = constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** It is not there, or something else has its name. All other errors mean that we could not look. */
const NO_DIRECTORY = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES"];

export type OpenedDirectory =
  | { readonly is: "open"; readonly descriptor: number }
  | { readonly is: "missing"; readonly deepest: string; readonly error: unknown } // what of it is there
  | { readonly is: "blocked"; readonly at: string; readonly by: string; readonly error: unknown };

interface Barred {
  readonly by: string;
  readonly error: unknown;
}

/** Opens one directory in one that is held open. Throws what the disk says. */
export type OpenStep = (path: string) => number;

/** A name in a directory that is held open. Throws TypeError where it could lead out of that directory. */
export function nameIn(descriptor: number, name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/"))
    throw new TypeError(`${JSON.stringify(name)} is not a name in a directory`);
  return `/proc/self/fd/${descriptor}/${name}`;
}

/** A path's directory and its last name; of a single name, the directory is "". */
export function splitPath<Path extends string>(path: Path): [directory: Path, name: string] {
  const cut = path.lastIndexOf("/");
  if (cut === 0) throw new TypeError(`${JSON.stringify(path)} is not below a directory`);
  return [(cut < 0 ? "" : path.slice(0, cut)) as Path, path.slice(cut + 1)];
}

/** Throws where the last name is a link, or no directory. */
export function openDirectory(path: string): number {
  return openSync(path, constants.O_RDONLY | DIRECTORY);
}

/** The same, made where it is missing. */
export function openOrMakeDirectory(path: string): number {
  makeDirectory(path);
  return openDirectory(path);
}

/** Nothing happens where something has its name. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** `path`: a real one. Throws ELOOP where a link leads to it by now, also one above it. */
export function openRealDirectory(path: string, access: number = constants.O_RDONLY): number {
  const descriptor = openSync(path, access | DIRECTORY);
  // SECURITY(T36, T08, T11): the kernel's own word for where this is: a link above it would have led elsewhere.
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === path) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error(`${path} is reached through a link`), { code: "ELOOP" });
}

export class DirectoryHandle {
  readonly path: string;
  readonly #root: number;
  readonly #barrier: (descriptor: number) => string | null;

  /** `path`: a real one; throws where it is none any more. `barrier`: what a directory below is that is not to be entered; null: it may be. */
  constructor(path: string, barrier: (descriptor: number) => string | null = () => null) {
    this.path = path;
    this.#root = openRealDirectory(path);
    this.#barrier = barrier;
  }

  get descriptor(): number {
    return this.#root;
  }

  close(): void {
    closeSync(this.#root);
  }

  /** Whoever opens it releases the descriptor; "" is the directory itself. */
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

  /** Calls `act` with what became of opening the directory. */
  enter<T>(path: string, act: (opened: OpenedDirectory) => T, step?: OpenStep): T {
    const opened = this.open(path, step);
    try {
      return act(opened);
    } finally {
      if (opened.is === "open") this.release(opened.descriptor);
    }
  }

  /** Calls `act` with the directory; undefined where it cannot be opened, whatever the reason. */
  inside<T>(path: string, act: (descriptor: number) => T, step?: OpenStep): T | undefined {
    return this.enter(path, (opened) => (opened.is === "open" ? act(opened.descriptor) : undefined), step);
  }

  /** The same; undefined only where it is not there or something else has its name. What else the disk says is thrown. */
  inDirectory<T>(path: string, act: (descriptor: number) => T): T | undefined {
    return this.enter(path, (opened) => {
      if (opened.is === "open") return act(opened.descriptor);
      if (NO_DIRECTORY.includes(errorCode(opened.error))) return undefined;
      throw opened.error;
    });
  }

  /** Calls `act` with the name of `path` in its directory, held open; undefined as for `inDirectory`. */
  atPath<T>(path: string, act: (path: string) => T): T | undefined {
    if (path === "") return undefined; // it has no name in itself
    const [parent, name] = splitPath(path);
    return this.inDirectory(parent, (directory) => act(nameIn(directory, name)));
  }

  /** The same, the directories above made where they are missing. Throws where one cannot be. */
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

  /** Removes the directory, and those above it, as far as they are empty. */
  prune(directory: string): void {
    for (let path = directory; path !== ""; [path] = splitPath(path)) {
      const [parent, name] = splitPath(path);
      if (this.inside(parent, (descriptor) => isRemoved(nameIn(descriptor, name))) !== true) return;
    }
  }

  /** Releases the directory above, whatever happens. */
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
    return false; // there is something in it
  }
}
