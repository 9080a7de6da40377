// After a run: moves away files that a program made under protected names, and restores protected links.
// Invariant: whatever a program did with names, links and permissions, a new protected file does not stay where others execute it.

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
  /** Maps the identity of each placeholder of this call to the path that it was made for. */
  readonly placeholders: ReadonlyMap<string, string>;
  /** Where to move files. Made when it is first needed. */
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
      faults.push(error); // a file that cannot be moved must not keep the others from being moved
    }
  };
  // SECURITY(T08): compares identities. With paths, `mv repo old && mkdir -p repo/.git/hooks` would look unchanged.
  const held = new Set([...before.existing.map(({ identity }) => identity), ...placeholders.keys()]);
  const newLinks = [...after.links].filter(([path, text]) => before.links.get(path) !== text).map(([path]) => path);
  // SECURITY(T08): an old link that now leads elsewhere is moved away itself. Its target stays, because it may belong to anybody.
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
      // The target of a new pointer is harmless once the pointer is moved away.
      const isHarmless = (pointer !== null && replaced.has(pointer)) || (isEmpty(path) && !before.links.has(path));
      if (!isHarmless) move(path, bytes ?? Buffer.from(baseName(path)));
    } else if ((placeholders.get(identity) ?? path) !== path) {
      removeIfEmpty(path); // a placeholder that moved with a renamed directory
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

/** An empty file or directory stays: nobody can execute it, and it may be another call's placeholder. */
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
    const target = `${directory}/${serial}-${[...baseName(path)].slice(0, 60).join("")}`; // the name may already have the maximum length
    try {
      if (identityOf(fdPath) === undefined) return undefined;
      renameSync(fdPath, target);
      return target;
    } catch (error) {
      const code = errorCode(error);
      if (code === "EACCES") unlock(fdPath);
      if (code !== "EXDEV") throw error; // after EACCES, `inDirectory` tries once more with write permission
      // The quarantine is on another disk, so the file stays in its directory under a name that no program looks for.
      const beside = `quarantined-${process.pid}-${Date.now()}-${serial}`;
      renameSync(fdPath, joinPath(here, beside));
      return joinPath(parentPath(path), beside);
    }
  });
}

/** Moving a directory needs write permission on it, because its `..` changes. */
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

/** Removes a placeholder only if it is still empty, because a person may have written to it meanwhile. */
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
