// The files of a landing in one place: the directory that changes, and the landing's own directory in it, where new files wait and old
// ones are put aside. Both are on one disk, so that a file changes its place by a rename.
// Invariant: no link is followed, and nothing is replaced.

import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { DirectoryHandle, nameIn, openDirectory, splitPath } from "../../process/directory-handle.ts";
import { removeFile } from "../../process/move-if-free.ts";
import { errorCode } from "../../shared/error-code.ts";
import type { LandingPlace } from "./landing-step.ts";

const COPY = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

export class LandingFiles {
  readonly #handle: DirectoryHandle;
  readonly #stagingPath: string;
  #staging: number | null = null;
  #last: { readonly path: string; readonly descriptor: number } | null = null;

  /** Throws if the directory is no longer at its real path. */
  constructor({ directory, staging }: LandingPlace, id: string) {
    this.#handle = new DirectoryHandle(directory);
    this.#stagingPath = `${staging === "" ? "" : `${staging}/`}.sallyport-${id}`;
  }

  makeStaging(): void {
    this.#handle.makeAt(this.#stagingPath, (at) => mkdirSync(at, { mode: 0o700 }));
  }

  /** Opens the landing's own directory. False if there is none: the landing had not begun, or has ended. */
  openStaging(): boolean {
    this.#staging ??= this.#handle.atPath(this.#stagingPath, (at) => tryOpen(at)) ?? null;
    return this.#staging !== null;
  }

  /** The path of a name in the landing's own directory. */
  own(name: string): string {
    if (this.#staging === null) throw new TypeError("the landing's own directory is not open");
    return nameIn(this.#staging, name);
  }

  /**
   * Puts a file or link of the layer into the landing's own directory, with its mode and times: under a second name, which the layer's own
   * file gets, or as a copy, if the layer is on another disk. No program of the box is left that could have the file open.
   */
  prepare(upper: DirectoryHandle, { path, isPlain }: { path: string; isPlain: boolean }, name: string): void {
    const to = this.own(name);
    upper.atPath(path, (from) => (isPlain && isLinked(from, to) ? undefined : copyEntry(from, to)));
  }

  /** Makes a directory there, for a path that has none yet. */
  prepareDirectory({ mode }: { mode: number }, name: string): void {
    mkdirSync(this.own(name), { mode });
  }

  /** Calls `act` with the path, reached through its directory. Undefined if that directory is missing, or is no directory. */
  at<T>(path: string, act: (at: string) => T): T | undefined {
    const [parent, name] = splitPath(path);
    if (parent === "") return act(nameIn(this.#handle.descriptor, name));
    if (this.#last?.path !== parent) {
      const opened = this.#handle.open(parent);
      if (opened.is !== "open") return undefined;
      this.#forget();
      this.#last = { path: parent, descriptor: opened.descriptor };
    }
    return act(nameIn((this.#last as { descriptor: number }).descriptor, name));
  }

  /** Removes the landing's own directory, and what is prepared in it. What was put aside and is still there is somebody's, and stays. */
  removeStaging(): void {
    if (!this.openStaging()) return;
    for (const name of readdirSync(`/proc/self/fd/${this.#staging}`))
      if (name.endsWith("-new")) removeOwn(this.own(name));
    closeSync(this.#staging as number);
    this.#staging = null;
    this.#handle.atPath(this.#stagingPath, removeIfEmpty);
  }

  close(): void {
    this.#forget();
    if (this.#staging !== null) closeSync(this.#staging);
    this.#handle.close();
  }

  #forget(): void {
    if (this.#last !== null) closeSync(this.#last.descriptor);
    this.#last = null;
  }
}

function tryOpen(path: string): number | undefined {
  try {
    return openDirectory(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function removeOwn(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(path);
  else removeFile(path);
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error))) throw error;
  }
}

function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (["EXDEV", "EPERM", "EMLINK", "ENOSYS", "EOPNOTSUPP"].includes(errorCode(error))) return false;
    throw error;
  }
}

function copyEntry(from: string, to: string): void {
  const found = lstatSync(from);
  if (found.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, "buffer"), to);
    if (process.geteuid?.() === 0) lchownSync(to, found.uid, found.gid);
  } else copyPlain(from, to, found);
  lutimesSync(to, found.atimeMs / 1000, found.mtimeMs / 1000);
}

/** The copy has no set-user-id bit: what a program in a box writes has no rights outside. */
function copyPlain(from: string, to: string, { mode, uid, gid }: Stats): void {
  if ((mode & 0o400) === 0) chmodSync(from, mode | 0o400); // the layer is the gate's own; the program took away the right to read
  copyFileSync(from, to, COPY);
  if (process.geteuid?.() === 0) chownSync(to, uid, gid);
  chmodSync(to, mode & 0o777);
}
