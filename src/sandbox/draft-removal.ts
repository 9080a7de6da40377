// Removes, in a mounted draft, what shows through from the project. The kernel marks it as deleted in the layer; the project stays.
// Invariant: it removes nothing that the session made: what the layer has is the session's own. It follows no link.

import { closeSync, lstatSync, openSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { namesIn } from "../process/names-in.ts";
import { baseName, parentPath } from "../shared/path.ts";
import { errorCode } from "../shared/error-code.ts";
import { noteShielded } from "./draft-touched.ts";

export interface RemovalPlaces {
  readonly project: string;
  /** The draft's own directory. */
  readonly directory: string;
  /** Where the gate reaches the mounted draft. */
  readonly mounted: string;
}

/** `paths`: below the project. Returns how many were there. */
export function removeShown({ project, directory, mounted }: RemovalPlaces, paths: Iterable<string>): number {
  const handles = { directory, upper: open(`${directory}/upper`), mounted: open(mounted) };
  try {
    let count = 0;
    for (const path of paths) count += removeOne(path, project, handles);
    return count;
  } finally {
    handles.upper.close();
    handles.mounted.close();
  }
}

export interface DraftLayer {
  /** Whether the layer has a file or a mark of deletion at the path or above it: then nothing of the project shows there. */
  covers(path: string): boolean;
}

export async function withLayer<T>(directory: string, work: (layer: DraftLayer) => Promise<T>): Promise<T> {
  const upper = open(`${directory}/upper`);
  try {
    const covers = (path: string) => {
      const parts = path.split("/");
      const above = parts.map((_, depth) => parts.slice(0, depth + 1).join("/"));
      return above.some((one) => upper.atPath(one, statAt)?.isDirectory() === false);
    };
    return await work({ covers });
  } finally {
    upper.close();
  }
}

interface Handles {
  readonly directory: string;
  readonly upper: DirectoryHandle;
  readonly mounted: DirectoryHandle;
}

/**
 * Programs may run. So each entry is looked up in the layer right before it is removed, also those of a directory. `isNoted`: a directory
 * above it is.
 */
function removeOne(path: string, project: string, handles: Handles, isNoted = false): number {
  const isOfProject = handles.upper.atPath(path, statAt) === undefined;
  if (isOfProject && handles.mounted.atPath(path, isThere) !== true) return 0;
  if (isOfProject && !isNoted) noteShielded(handles.directory, path);
  const shown = statAt(`${project}/${path}`)?.isDirectory() === true ? namesIn(`${project}/${path}`) : [];
  const own = handles.upper.atPath(path, statAt);
  if (own?.isDirectory() === false) return 0; // the session's own file, or marked as deleted already
  const below = shown.map((name) => removeOne(`${path}/${name}`, project, handles, isNoted || isOfProject));
  if (!isOfProject) return below.reduce((sum, count) => sum + count, 0);
  handles.mounted.atPath(path, (there) => {
    removeAt(there);
    if (!isNoted && statAt(`${project}/${path}`) !== undefined) markDeleted(there);
  });
  return 1;
}

/**
 * SECURITY(T48): programs of the session may swap in a link meanwhile. The directory is held open while its entry is removed by its name
 * in it, so that no link is followed.
 */
function removeAt(path: string): void {
  try {
    const found = statAt(path);
    if (found?.isDirectory() === true) rmdirSync(path);
    else if (found !== undefined) unlinkSync(path);
  } catch (error) {
    if (errorCode(error) === "") throw error; // else it was changed meanwhile; the next look finds it
  }
}

/**
 * Where the kernel remembers that a name was not there, a program that reads the directory would find a file that it cannot open. Making a file of this name and removing it marks the project's one as deleted.
 */
function markDeleted(shown: string): void {
  try {
    closeSync(openSync(shown, "wx"));
    unlinkSync(shown);
  } catch (error) {
    if (errorCode(error) === "") throw error;
  }
}

/** Found, or listed: the kernel remembers for a while that a name was not there. */
function isThere(path: string): boolean {
  return statAt(path) !== undefined || namesIn(parentPath(path)).includes(baseName(path));
}

function statAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function open(path: string): DirectoryHandle {
  return new DirectoryHandle(path, undefined, openDirectory);
}
