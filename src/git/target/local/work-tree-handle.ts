// A person's work tree, or a git directory, held open: its directories are entered one component at a time, by descriptor.
// Invariant: no link is followed, and no other repository inside the work tree is entered.

import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";

export const NO_FOLLOW = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export type OpenedDirectory =
  | { readonly is: "open"; readonly descriptor: number }
  | { readonly is: "missing"; readonly deepest: string } // what of it is there
  | { readonly is: "blocked"; readonly at: string; readonly by: string };

/** A name in a directory that is held open. */
export function nameIn(descriptor: number, name: string): string {
  return `/proc/self/fd/${descriptor}/${name}`;
}

export function splitPath(path: string): [directory: string, name: string] {
  const cut = path.lastIndexOf("/");
  return [cut < 0 ? "" : path.slice(0, cut), path.slice(cut + 1)];
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Throws where it is a link, or no directory. */
export function openDirectoryAt(place: string): number {
  return openSync(place, DIRECTORY);
}

export class WorkTreeHandle {
  readonly path: string;
  readonly #root: number;

  /** `path`: a real one. Throws where it is none any more. */
  constructor(path: string) {
    this.path = path;
    this.#root = openSync(path, DIRECTORY);
    // SECURITY(T36): a link may have been put in the place of a directory above it.
    if (readlinkSync(`/proc/self/fd/${this.#root}`) === path) return;
    closeSync(this.#root);
    throw Object.assign(new Error(`${path} is reached through a link`), { code: "ELOOP" });
  }

  get descriptor(): number {
    return this.#root;
  }

  close(): void {
    closeSync(this.#root);
  }

  /** Calls `act` with the directory; "" is the work tree itself. */
  enter<T>(path: string, act: (opened: OpenedDirectory) => T, make = false): T {
    const opened = this.#open(path, make);
    try {
      return act(opened);
    } finally {
      if (opened.is === "open") this.#close(opened.descriptor);
    }
  }

  /** The same, where only a directory that is there counts. */
  inside<T>(path: string, act: (descriptor: number) => T, make = false): T | undefined {
    return this.enter(path, (opened) => (opened.is === "open" ? act(opened.descriptor) : undefined), make);
  }

  #open(path: string, make: boolean): OpenedDirectory {
    let descriptor = this.#root;
    const names = path === "" ? [] : path.split("/");
    for (const [depth, name] of names.entries()) {
      const place = nameIn(descriptor, name);
      const next = openBelow(place, make);
      const by = typeof next === "number" && hasOwnGit(next) ? "another repository" : "something that is no directory";
      this.#close(descriptor);
      if (next === "missing") return { is: "missing", deepest: names.slice(0, depth).join("/") };
      if (next === "blocked" || by === "another repository") {
        if (next !== "blocked") closeSync(next);
        return { is: "blocked", at: names.slice(0, depth + 1).join("/"), by };
      }
      descriptor = next;
    }
    return { is: "open", descriptor };
  }

  #close(descriptor: number): void {
    if (descriptor !== this.#root) closeSync(descriptor);
  }
}

function openBelow(place: string, make: boolean): number | "missing" | "blocked" {
  try {
    if (make) makeDirectory(place);
    return openSync(place, DIRECTORY);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? "missing" : "blocked";
  }
}

function makeDirectory(place: string): void {
  try {
    mkdirSync(place);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function hasOwnGit(descriptor: number): boolean {
  return lstatSync(nameIn(descriptor, ".git"), { throwIfNoEntry: false }) !== undefined;
}
