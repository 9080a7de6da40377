// After a run: moves away what was made where it must not be, and puts links back.
// Invariant: whatever a program did with names, links and rights, a new protected file does not stay where others execute it.

import { chmodSync, closeSync, lstatSync, readdirSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { makeDirectories } from "../process/make-directories.ts";
import type { Quarantined } from "../process/outcome.ts";
import { openPath } from "../process/plain-file.ts";
import { errorCode } from "../shared/error-code.ts";
import { baseName, joinPath, parentPath } from "../shared/path.ts";
import type { ProtectedPaths } from "./guard.ts";
import { identityOf, inDirectory } from "./directory-by-descriptor.ts";

export interface Quarantine {
  readonly before: ProtectedPaths;
  readonly after: ProtectedPaths;
  /** The placeholders of this call, by identity, with the path that each was made for. */
  readonly placeholders: ReadonlyMap<string, string>;
  /** Where to move things. Made when it is first needed. */
  readonly directory: string;
}

export function quarantineNew({ before, after, placeholders, directory }: Quarantine): Quarantined[] {
  const moved: Quarantined[] = [];
  const faults: unknown[] = [];
  const move = (path: string, name: Buffer): void => {
    try {
      const movedTo = moveAway(path, name, directory, moved.length);
      if (movedTo !== undefined) moved.push({ path, movedTo });
    } catch (error) {
      faults.push(error); // one that cannot be moved does not save the others
    }
  };
  // SECURITY(T08): by identity. By path alone, `mv repo old && mkdir -p repo/.git/hooks` would pass for what was there.
  const held = new Set([...before.existing.map(({ identity }) => identity), ...placeholders.keys()]);
  const newLinks = [...after.links].filter(([path, text]) => before.links.get(path) !== text).map(([path]) => path);
  // SECURITY(T08): a link that was there before and leads elsewhere now goes itself. What it leads to may be anybody's: it stays.
  const turned = [...after.leads].flatMap(([pointer, real]) =>
    real !== "" &&
    (before.leads.get(pointer) ?? real) !== real &&
    before.links.get(pointer) === after.links.get(pointer)
      ? [pointer]
      : [],
  );
  const replaced = new Set([
    ...newLinks,
    ...turned,
    ...after.existing.filter(({ identity }) => !held.has(identity)).map(({ path }) => path),
  ]);
  for (const path of new Set([...newLinks, ...turned])) move(path, Buffer.from(baseName(path)));
  for (const { path, identity, pointer, bytes } of after.existing) {
    if (!held.has(identity)) {
      // What a new pointer leads to is harmless once the pointer is gone.
      const isHarmless = (pointer !== null && replaced.has(pointer)) || (isEmpty(path) && !before.links.has(path));
      if (!isHarmless) move(path, bytes ?? Buffer.from(baseName(path)));
    } else if ((placeholders.get(identity) ?? path) !== path) {
      removeIfEmpty(path); // a placeholder that went along with a directory that was renamed
    }
  }
  for (const [path, text] of before.links) if (!turned.includes(path)) putBack(path, text);
  if (faults.length > 0)
    throw new AggregateError(
      faults,
      `what was made where it must not be could not be moved away: ${String(faults[0])}`,
    );
  return moved;
}

/** Nothing in it: nobody can execute that, and it may be another call's placeholder. */
function isEmpty(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  try {
    return found?.isDirectory() === true
      ? readdirSync(path).length === 0
      : found?.isFile() === true && found.size === 0;
  } catch {
    return false;
  }
}

function moveAway(path: string, name: Buffer, directory: string, serial: number): string | undefined {
  makeDirectories(directory, 0o700);
  return inDirectory(parentPath(path), (here) => {
    const fdPath = Buffer.concat([Buffer.from(`${here}/`), name]);
    const target = `${directory}/${serial}-${[...baseName(path)].slice(0, 60).join("")}`; // a name can be as long as names get
    try {
      if (identityOf(fdPath) === undefined) return undefined;
      renameSync(fdPath, target);
      return target;
    } catch (error) {
      const code = errorCode(error);
      if (code === "EACCES") unlock(fdPath);
      if (code !== "EXDEV") throw error; // EACCES is tried once more, with the right to write
      // Another disk: it stays beside its place, under a name that nobody looks for.
      const beside = `quarantined-${process.pid}-${Date.now()}-${serial}`;
      renameSync(fdPath, joinPath(here, beside));
      return joinPath(parentPath(path), beside);
    }
  });
}

/** To move a directory elsewhere, one must be able to write to it: its `..` changes. */
function unlock(path: Buffer): void {
  const fd = openPath(path);
  try {
    if (lstatSync(path).isDirectory()) chmodSync(`/proc/self/fd/${fd}`, 0o700);
  } finally {
    closeSync(fd);
  }
}

function putBack(path: string, text: string): void {
  inDirectory(parentPath(path), (here) => {
    const fdPath = joinPath(here, baseName(path));
    if (identityOf(fdPath) === undefined) symlinkSync(text, fdPath);
  });
}

/** Only what is still empty: a person may have put something there meanwhile. */
export function removeIfEmpty(path: string): void {
  inDirectory(parentPath(path), (here) => {
    const fdPath = joinPath(here, baseName(path));
    const found = lstatSync(fdPath, { throwIfNoEntry: false });
    try {
      if (found?.isDirectory() === true) rmdirSync(fdPath);
      else if (found?.isFile() === true && found.size === 0) unlinkSync(fdPath);
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST", "ENOENT", "EBUSY", "EPERM", "EROFS"].includes(errorCode(error))) throw error;
    }
  });
}
