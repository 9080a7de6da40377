// Acts below one directory of the disk that is held open, component by component: what openat(2) does, by way of /proc.
// Invariant: no link is ever followed, so that nobody who changes the tree meanwhile leads us out of it.

import { closeSync, constants, lstatSync, mkdirSync, openSync, rmdirSync } from "node:fs";
import { rootPath, type WorkspacePath } from "./path.ts";

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A name in a directory that is held open. */
export function nameIn(directory: number, name: string): string {
  return `/proc/self/fd/${directory}/${name}`;
}

export function openDirectory(path: string): number {
  return openSync(path, DIRECTORY);
}

export class DirectoryHandle {
  readonly #root: number;

  constructor(path: string) {
    this.#root = openDirectory(path);
  }

  close(): void {
    closeSync(this.#root);
  }

  /** Calls `act` with a directory below; undefined when it is not there, or something else is in its place. */
  inDirectory<T>(path: WorkspacePath, act: (directory: number) => T): T | undefined {
    const directory = this.#open(path, false);
    if (directory === undefined) return undefined;
    try {
      return act(directory);
    } finally {
      if (directory !== this.#root) closeSync(directory);
    }
  }

  /** Calls `act` with the directory that holds `path`, and its name there. */
  atPath<T>(path: WorkspacePath, act: (place: string) => T): T | undefined {
    const [parent, name] = splitPath(path);
    return this.inDirectory(parent, (directory) => act(nameIn(directory, name)));
  }

  /** The same, the directories above made where they are missing. Throws where one cannot be. */
  makeAt<T>(path: WorkspacePath, act: (place: string) => T): T {
    const [parent, name] = splitPath(path);
    const directory = this.#open(parent, true) as number;
    try {
      return act(nameIn(directory, name));
    } finally {
      if (directory !== this.#root) closeSync(directory);
    }
  }

  isDirectory(path: WorkspacePath): boolean {
    if (path === rootPath) return true;
    return this.atPath(path, (place) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) ?? false;
  }

  /** Removes the directories above `path` that have become empty. */
  prune(path: WorkspacePath): void {
    for (let [parent] = splitPath(path); parent !== rootPath; [parent] = splitPath(parent)) {
      const isRemoved = this.atPath(parent, (place) => {
        try {
          rmdirSync(place);
          return true;
        } catch {
          return false; // there is something in it
        }
      });
      if (isRemoved !== true) return;
    }
  }

  #open(path: WorkspacePath, make: boolean): number | undefined {
    let directory = this.#root;
    for (const name of path === rootPath ? [] : path.split("/")) {
      const next = tryOpen(nameIn(directory, name), make);
      if (directory !== this.#root) closeSync(directory);
      if (next === undefined) return undefined;
      directory = next;
    }
    return directory;
  }
}

function tryOpen(place: string, make: boolean): number | undefined {
  try {
    if (make) makeDirectory(place);
    return openDirectory(place);
  } catch (error) {
    if (!make && ["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(errorCode(error))) return undefined;
    throw error;
  }
}

function makeDirectory(place: string): void {
  try {
    mkdirSync(place);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function splitPath(path: WorkspacePath): [parent: WorkspacePath, name: string] {
  const cut = path.lastIndexOf("/");
  return [(cut < 0 ? "" : path.slice(0, cut)) as WorkspacePath, path.slice(cut + 1)];
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
