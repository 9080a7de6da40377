// Removes, in a mounted draft, what shows through from the project. The kernel marks it as deleted in the layer; the project stays.
// Invariant: it removes nothing that the session made: what the layer has is the session's own. It follows no link, and enters nothing that
// is mounted in the draft, such as the session's git directory.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DirectoryHandle, nameIn, splitPath } from "../process/directory-handle.ts";
import { namesIn } from "../process/names-in.ts";
import { O_PATH } from "../process/plain-file.ts";
import { baseName, parentPath } from "../shared/path.ts";
import { errorCode } from "../shared/error-code.ts";
import { noteShielded } from "./draft-touched.ts";

export interface RemovalPlaces {
  readonly project: string;
  /** The draft's own directory. */
  readonly directory: string;
  /** Where the gate reaches the mounted draft. */
  readonly mounted: string;
  /** Paths that are in DRAFT/shielded and could not be removed yet. Keep it as long as the draft is mounted. */
  readonly attempted: Set<string>;
}

export interface Removed {
  /** How many paths were there, and are not any more. */
  readonly count: number;
  /** What could not be removed, so that programs can read it. */
  readonly exposed: readonly string[];
}

/** `paths`: below the project. */
export async function removeShown(places: RemovalPlaces, paths: Iterable<string>): Promise<Removed> {
  const mounted = openMount(places.mounted);
  try {
    const upper = openLayer(places.directory);
    try {
      const removal = new Removal(places, upper, mounted);
      for (const path of paths) await removal.remove(path);
      return removal;
    } finally {
      upper.close();
    }
  } finally {
    mounted.close();
  }
}

export interface DraftLayer {
  /** Whether the layer has a file or a mark of deletion at the path or above it: then nothing of the project shows there. */
  covers(path: string): boolean;
}

export async function withLayer<T>(directory: string, work: (layer: DraftLayer) => Promise<T>): Promise<T> {
  const upper = openLayer(directory);
  try {
    const covers = (path: string) => {
      const parts = path.split("/");
      const above = parts.map((_, depth) => parts.slice(0, depth + 1).join("/"));
      return above.some((one) => at(upper, one, statAt)?.isDirectory() === false);
    };
    return await work({ covers });
  } finally {
    upper.close();
  }
}

/** Of a tree of any size. Others have their turn after so many entries. */
const TURN_ENTRIES = 200;
/** Errors which mean that somebody has changed it meanwhile: the next look finds it. */
const CHANGED = ["", "ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR", "ELOOP"];
const FORBIDDEN = ["EACCES", "EPERM"];

class Removal implements Removed {
  count = 0;
  readonly exposed: string[] = [];
  readonly #places: RemovalPlaces;
  readonly #upper: DirectoryHandle;
  readonly #mounted: DirectoryHandle;
  readonly #notedNow = new Set<string>();
  #entries = 0;

  constructor(places: RemovalPlaces, upper: DirectoryHandle, mounted: DirectoryHandle) {
    this.#places = places;
    this.#upper = upper;
    this.#mounted = mounted;
  }

  /**
   * Programs may run. So each entry is looked up in the layer right before it is removed, also those of a directory. `isNoted`: a directory
   * above it is.
   */
  async remove(path: string, isNoted = false): Promise<void> {
    this.#entries += 1;
    if (this.#entries % TURN_ENTRIES === 0) await nextTurn();
    try {
      await this.#tryRemove(path, isNoted);
    } catch (error) {
      // A directory above it is not the gate's to open. Whether the layer has something there is not known.
      if (!FORBIDDEN.includes(errorCode(error))) throw error;
      this.exposed.push(path);
    }
  }

  async #tryRemove(path: string, isNoted: boolean): Promise<void> {
    const onDisk = `${this.#places.project}/${path}`;
    const isThereNow = at(this.#mounted, path, isThere) === true; // first: it gives the rights back that the layer needs too
    const isOfProject = this.#inLayer(path) === undefined;
    if (isOfProject && !isThereNow) return;
    if (isOfProject && !isNoted) this.#note(path);
    const shown = statAt(onDisk)?.isDirectory() === true ? namesIn(onDisk) : [];
    if (this.#inLayer(path)?.isDirectory() === false) return; // the session's own file, or marked as deleted already
    for (const name of shown) await this.remove(`${path}/${name}`, isNoted || isOfProject);
    if (!isOfProject) return;
    const code = at(this.#mounted, path, (there) => removeAt(there, !isNoted && statAt(onDisk) !== undefined)) ?? "";
    if (this.#isLeft(path)) {
      if (!CHANGED.includes(code) && at(this.#mounted, path, mayBeRead) !== false) this.exposed.push(path);
      return;
    }
    this.count += 1;
    if (!isNoted) this.#noteAgain(path);
  }

  #inLayer(path: string): Stats | undefined {
    return at(this.#upper, path, statAt);
  }

  #isLeft(path: string): boolean {
    const own = this.#inLayer(path);
    return (own === undefined || own.isDirectory()) && at(this.#mounted, path, isThere) === true;
  }

  /** Before it is removed: the gate may be killed. Not for each attempt: DRAFT/shielded would grow without bound. */
  #note(path: string): void {
    const { directory, attempted } = this.#places;
    if (attempted.has(path)) return;
    noteShielded(directory, path);
    attempted.add(path);
    this.#notedNow.add(path);
  }

  /** A note of an earlier attempt has been read by now. */
  #noteAgain(path: string): void {
    const { directory, attempted } = this.#places;
    if (!this.#notedNow.has(path)) noteShielded(directory, path);
    attempted.delete(path);
  }
}

/**
 * SECURITY(T48): programs of the session may swap in a link meanwhile. The directory is held open while its entry is removed by its name
 * in it, so that no link is followed. Returns the code of the error, or "".
 */
function removeAt(path: string, isInProject: boolean): string {
  try {
    const found = statAt(path);
    if (found?.isDirectory() === true) rmdirSync(path);
    else if (found !== undefined) unlinkSync(path);
    if (isInProject) markDeleted(path);
    return "";
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    return code;
  }
}

/**
 * Where the kernel remembers that a name was not there, a program that reads the directory would find a file that it cannot open. Making a file of this name and removing it marks the project's one as deleted.
 */
function markDeleted(shown: string): void {
  closeSync(openSync(shown, "wx"));
  unlinkSync(shown);
}

/** Found, or listed: the kernel remembers for a while that a name was not there. */
function isThere(path: string): boolean {
  return statAt(path) !== undefined || namesIn(parentPath(path)).includes(baseName(path));
}

/** Whether programs can read it, or enter it, or give themselves the right to. They have no more rights than the gate. */
function mayBeRead(path: string): boolean {
  const found = statAt(path);
  if (found?.uid === process.geteuid?.()) return true;
  return isAllowed(path, found?.isDirectory() === true ? constants.X_OK : constants.R_OK);
}

function isAllowed(path: string, rights: number): boolean {
  try {
    accessSync(path, rights);
    return true;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return !FORBIDDEN.includes(errorCode(error));
  }
}

function statAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Calls `act` with the name of `path` in its directory, which is held open. Undefined if there is no such directory. */
function at<T>(handle: DirectoryHandle, path: string, act: (path: string) => T): T | undefined {
  const [parent, name] = splitPath(path);
  return handle.enter(
    parent,
    (opened) => {
      if (opened.is === "open") return act(nameIn(opened.descriptor, name));
      if (!CHANGED.includes(errorCode(opened.error))) throw opened.error;
      return undefined;
    },
    openWithRights,
  );
}

function openLayer(directory: string): DirectoryHandle {
  return new DirectoryHandle(`${directory}/upper`, undefined, openWithRights);
}

/** SECURITY(T48): in a directory that is mounted inside, such as `.git`, everything is the session's own. */
function openMount(path: string): DirectoryHandle {
  const root = openWithRights(path);
  const { dev } = fstatSync(root);
  // All directories of an overlay have its own number.
  const barrier = (descriptor: number) => (fstatSync(descriptor).dev === dev ? null : "another mount");
  return new DirectoryHandle(path, barrier, () => root);
}

/** SECURITY(T48): a program may take its user's rights to a directory away, and the gate is the same user. It takes them back. */
function openWithRights(path: string): number {
  const found = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const self = `/proc/self/fd/${found}`;
  try {
    if (!isAllowed(self, constants.R_OK | constants.W_OK | constants.X_OK)) takeBack(self, fstatSync(found).mode);
    return openSync(self, constants.O_RDONLY | constants.O_DIRECTORY);
  } finally {
    closeSync(found);
  }
}

/** Does nothing to a directory of another user. */
function takeBack(self: string, mode: number): void {
  try {
    chmodSync(self, (mode & 0o7777) | 0o700);
  } catch (error) {
    if (!FORBIDDEN.includes(errorCode(error))) throw error;
  }
}
