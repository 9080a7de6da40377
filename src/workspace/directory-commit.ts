// Applies a batch of changes on the disk. It writes everything to a staging directory first, and then renames each file into place. If
// a step fails, it undoes the earlier steps. If the gate is killed meanwhile, each file has its old or its new content, never a part.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { fail, ok, type Result } from "../shared/result.ts";
import type { BatchStep } from "./batch.ts";
import { type DirectoryHandle, nameIn, splitPath } from "../process/directory-handle.ts";
import { errorCode } from "../shared/error-code.ts";
import { type FoundEntry, stagingPrefix } from "./directory-scan.ts";
import { nameProblem, rootPath, type WorkspacePath } from "./path.ts";

const STALE_MS = 3_600_000;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function commitSteps(handle: DirectoryHandle, steps: readonly BatchStep[]): Result<undefined> {
  const name = `${stagingPrefix}${randomBytes(8).toString("hex")}` as WorkspacePath;
  try {
    handle.atPath(name, (diskPath) => mkdirSync(diskPath, { mode: 0o700 }));
    const result = handle.inDirectory(name, (staging) => commit(handle, steps, staging));
    return result ?? fail("tool_failed", "The workspace's directory is gone.");
  } catch (error) {
    return refusal(error, true);
  } finally {
    handle.atPath(name, (diskPath) => rmSync(diskPath, { recursive: true, force: true }));
  }
}

function commit(handle: DirectoryHandle, steps: readonly BatchStep[], staging: number): Result<undefined> {
  const undo: (() => void)[] = [];
  try {
    steps.forEach((step, index) => stage(step, nameIn(staging, `new-${index}`)));
    // Deletions come first, because a directory may replace a deleted file.
    for (const isDeletion of [true, false]) {
      for (const [index, step] of steps.entries()) {
        if ((step.change.operation === "delete") !== isDeletion) continue;
        undo.push(putInPlace(handle, step, nameIn(staging, `new-${index}`), nameIn(staging, `old-${index}`)));
      }
    }
    return ok(undefined);
  } catch (error) {
    return refusal(error, undoAll(undo));
  }
}

/** Removes staging directories of killed gates. Only old ones, because a running gate may use a recent one. */
export function sweepStaging(handle: DirectoryHandle): void {
  handle.inDirectory(rootPath, (directory) => {
    for (const name of readdirSync(`/proc/self/fd/${directory}`)) {
      if (!name.startsWith(stagingPrefix)) continue;
      const found = lstatSync(nameIn(directory, name), { throwIfNoEntry: false });
      if (found?.isDirectory() && Date.now() - found.mtimeMs > STALE_MS)
        rmSync(nameIn(directory, name), { recursive: true, force: true });
    }
  });
}

function stage({ change, before }: BatchStep, diskPath: string): void {
  if (change.operation === "link") symlinkSync(change.target, diskPath);
  if (change.operation !== "write") return;
  const file = openSync(diskPath, CREATE, change.executable ? 0o777 : 0o666);
  try {
    writeFileSync(file, change.bytes);
    if (before?.kind !== "file") return;
    const mode = (before as WorkspaceEntry & FoundEntry).mode & 0o777; // new content must not inherit the set-user-id bit
    fchmodSync(file, change.executable ? mode | ((mode & 0o444) >> 2) | 0o100 : mode & ~0o111);
  } finally {
    closeSync(file);
  }
}

type WorkspaceEntry = NonNullable<BatchStep["before"]>;

/** Returns a function that undoes the step. */
function putInPlace(
  handle: DirectoryHandle,
  { change: { operation, path } }: BatchStep,
  fresh: string,
  old: string,
): () => void {
  if (operation === "delete") {
    handle.atPath(path, (diskPath) => renameSync(diskPath, old));
    handle.prune(splitPath(path)[0]);
    return () => handle.makeAt(path, (diskPath) => renameSync(old, diskPath));
  }
  try {
    const isKept = handle.makeAt(path, (diskPath) => replace(diskPath, fresh, old));
    return () => {
      handle.makeAt(path, (diskPath) => (isKept ? renameSync(old, diskPath) : rmSync(diskPath)));
      handle.prune(splitPath(path)[0]);
    };
  } catch (error) {
    handle.prune(splitPath(path)[0]);
    throw error;
  }
}

/** Returns true if a file was there; it is now at `old`. */
function replace(diskPath: string, fresh: string, old: string): boolean {
  const found = lstatSync(diskPath, { throwIfNoEntry: false });
  if (found?.isDirectory()) removeEmptyDirectory(diskPath);
  else if (found !== undefined) keep(diskPath, old);
  const isKept = found !== undefined && !found.isDirectory();
  try {
    renameSync(fresh, diskPath);
    return isKept;
  } catch (error) {
    if (isKept) renameSync(old, diskPath);
    throw error;
  }
}

/** Gives the file to be replaced a second name, so that its path exists until the rename. */
function keep(diskPath: string, old: string): void {
  try {
    linkSync(diskPath, old);
  } catch (error) {
    if (!["EPERM", "EOPNOTSUPP", "EMLINK", "EACCES"].includes(errorCode(error))) throw error;
    renameSync(diskPath, old); // the file system has no hard links
  }
}

/** A workspace does not contain empty directories, so a file may replace one. */
function removeEmptyDirectory(diskPath: string): void {
  if (!isEmptyTree(diskPath)) throw Object.assign(new Error("there is something in it"), { code: "ENOTEMPTY" });
  rmSync(diskPath, { recursive: true });
}

function isEmptyTree(diskPath: string): boolean {
  return readdirSync(diskPath, { withFileTypes: true }).every(
    (inner) => inner.isDirectory() && nameProblem(inner.name) === undefined && isEmptyTree(`${diskPath}/${inner.name}`),
  );
}

function undoAll(undo: readonly (() => void)[]): boolean {
  let isUndone = true;
  for (const step of undo.toReversed()) {
    try {
      step();
    } catch {
      isUndone = false;
    }
  }
  return isUndone;
}

function refusal(error: unknown, isUndone: boolean): Result<never> {
  const code = errorCode(error);
  if (code === "") throw error;
  const state = isUndone ? "Nothing was changed" : "Not everything could be put back as it was";
  if (["ENOTDIR", "ELOOP", "EEXIST", "EISDIR", "ENOTEMPTY"].includes(code))
    return fail("conflict", `Something else is in the place of a file or of its directory. ${state}.`, {
      hint: "list_files shows what is there. Another program may be at work in the directory.",
    });
  // A user's layer of a draft cannot hold it, so the kernel copies it neither to change it nor to give it another name.
  if (code === "EOVERFLOW")
    return fail("tool_failed", `A file belongs to another user or group. ${state}.`, {
      hint: "In Bash, copy it and move the copy to its place: cp FILE COPY && mv -f COPY FILE.",
    });
  return fail("tool_failed", `The files cannot be written (${code}). ${state}.`, {
    hint: "Check that the disk has room and that the directory can be written.",
  });
}
