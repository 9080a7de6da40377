// Removes, in a mounted draft, what shows through from the project. The kernel marks it as deleted in the layer; the project stays.
// Invariant: it removes nothing that the session made: what the layer has is the session's own. It follows no link.

import { closeSync, lstatSync, openSync, readdirSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import { DirectoryHandle, nameIn, openDirectory } from "../process/directory-handle.ts";
import { namesIn } from "../process/names-in.ts";
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

function removeOne(path: string, project: string, handles: Handles): number {
  const own = handles.upper.atPath(path, statAt);
  if (own === undefined) {
    noteShielded(handles.directory, path);
    handles.mounted.atPath(path, (shown) => {
      removeAt(shown);
      if (statAt(`${project}/${path}`) !== undefined) markDeleted(shown);
    });
    return 1;
  }
  if (!own.isDirectory()) return 0; // the session's own file, or marked as deleted already
  const shown = statAt(`${project}/${path}`)?.isDirectory() === true ? namesIn(`${project}/${path}`) : [];
  const below = shown.map((name) => removeOne(`${path}/${name}`, project, handles));
  return below.reduce((sum, count) => sum + count, 0);
}

/**
 * SECURITY(T48): programs of the session may swap in a link meanwhile. Each directory is held open while its entries are removed by their
 * names in it, so that no link is followed.
 */
function removeAt(path: string): void {
  const found = statAt(path);
  if (found === undefined) return;
  try {
    if (!found.isDirectory()) return unlinkSync(path);
    const directory = openDirectory(path);
    try {
      for (const name of readdirSync(`/proc/self/fd/${directory}`)) removeAt(nameIn(directory, name));
    } finally {
      closeSync(directory);
    }
    rmdirSync(path);
  } catch (error) {
    if (errorCode(error) === "") throw error; // else it was changed meanwhile; the next call looks again
  }
}

/**
 * The kernel remembers that a name was not there, and still lists it: a program that reads the directory would find a file that it
 * cannot open. Making a file of this name and removing it marks the project's one as deleted.
 */
function markDeleted(shown: string): void {
  try {
    closeSync(openSync(shown, "wx"));
    unlinkSync(shown);
  } catch (error) {
    if (errorCode(error) === "") throw error;
  }
}

function statAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function open(path: string): DirectoryHandle {
  return new DirectoryHandle(path, undefined, openDirectory);
}
