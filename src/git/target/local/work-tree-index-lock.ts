// Replaces a work tree's index. Git writes a new index beside the old one, and the gate renames it into place, under the lock that
// every git respects.
// Invariant: the lock names its process, so that the lock of a killed process no longer counts. No link is followed, and nothing
// is written through a link.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  futimesSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { readPlainFile } from "../../../process/plain-file.ts";
import { markOfThisProcess, mayBeAlive, mayBeAtWork } from "../../../process/process-mark.ts";
import { limits } from "../../../shared/limits.ts";
import { joinPath } from "../../../shared/path.ts";
import { nameIn, NO_FOLLOW, type DirectoryHandle } from "../../../process/directory-handle.ts";
import { errorCode } from "../../../shared/error-code.ts";
import { openWorkTree } from "./work-tree-handle.ts";

const LOCK = "index.lock";
const OWN = /^sallyport-(?:index|lock)-([0-9.]+\.[0-9a-f]{8})-[0-9a-f]+(?:\.lock)?$/;
const CONTENT = /^sallyport ([0-9.]+\.[0-9a-f]{8})\n$/;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
const LOCK_BYTES = 200;
const INDEX_BYTES = 2 ** 31 - 1;
const withoutSecondNames = ["EPERM", "EOPNOTSUPP", "EMLINK", "ENOSYS", "EACCES"];

export class IndexDraft {
  readonly #handle: DirectoryHandle;
  readonly #directory: number;
  readonly #name: string;
  /** The file that git writes. */
  readonly path: string;

  /** Null if another process holds the lock. Throws errors of the disk, and ENOTPLAIN if the index is not a plain file. */
  static open(gitDirectory: string): IndexDraft | null {
    const handle = openWorkTree(gitDirectory);
    try {
      if (takeLock(handle.descriptor)) return new IndexDraft(handle, gitDirectory);
    } catch (error) {
      handle.close();
      throw error;
    }
    handle.close();
    return null;
  }

  private constructor(handle: DirectoryHandle, gitDirectory: string) {
    this.#handle = handle;
    this.#directory = handle.descriptor;
    this.#name = ownName("index");
    this.path = joinPath(gitDirectory, this.#name);
    try {
      copyIndex(this.#directory, this.#name);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Makes the file that git wrote the index. Throws errors of the disk. */
  commit(): void {
    const [draft, index] = [this.#name, "index"].map((name) => statAt(this.#directory, name));
    if (draft === undefined || draft.ino === index?.ino) return; // git found nothing to change
    if (!draft.isFile()) throw notPlain(this.#name);
    // SECURITY(T36): a rename replaces a link, and does not follow it.
    renameSync(nameIn(this.#directory, this.#name), nameIn(this.#directory, "index"));
  }

  close(): void {
    for (const name of [`${this.#name}.lock`, this.#name, LOCK]) removeAt(this.#directory, name);
    this.#handle.close();
  }
}

/** Removes the files in this git directory of landings whose process is gone. */
export function sweepIndexLock(gitDirectory: string): void {
  let handle: DirectoryHandle;
  try {
    handle = openWorkTree(gitDirectory);
  } catch {
    return;
  }
  try {
    const directory = handle.descriptor;
    for (const name of readdirSync(`/proc/self/fd/${directory}`)) {
      const mark = OWN.exec(name)?.[1];
      if (mark !== undefined && !mayBeAlive(mark)) removeAt(directory, name);
    }
    if (!isOfTheDead(directory, LOCK)) return;
    // Another gate may be doing the same and may hold the lock already. So the lock is moved aside and checked again.
    const aside = ownName("lock");
    renameSync(nameIn(directory, LOCK), nameIn(directory, aside));
    if (!isOfTheDead(directory, aside)) linkSync(nameIn(directory, aside), nameIn(directory, LOCK));
    removeAt(directory, aside);
  } catch (error) {
    if (errorCode(error) === "") throw error; // another process was quicker, or the disk refuses
  } finally {
    handle.close();
  }
}

function isOfTheDead(directory: number, name: string): boolean {
  const mark = CONTENT.exec(readPlainFile(nameIn(directory, name), LOCK_BYTES)?.toString("latin1") ?? "")?.[1];
  if (mark === undefined) return false;
  return !mayBeAtWork(mark, { sinceMs: statAt(directory, name)?.mtimeMs ?? 0, mostMs: limits.landingMostMs });
}

/** The lock has its content from the moment it exists. False if there is a lock already. */
function takeLock(directory: number): boolean {
  const content = `sallyport ${markOfThisProcess()}\n`;
  const fresh = ownName("lock");
  writeNew(nameIn(directory, fresh), content);
  try {
    linkSync(nameIn(directory, fresh), nameIn(directory, LOCK));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!withoutSecondNames.includes(errorCode(error))) throw error;
  } finally {
    removeAt(directory, fresh);
  }
  try {
    writeNew(nameIn(directory, LOCK), content);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Copies the index under another name with its times, because git uses them. Does nothing if there is no index yet. */
function copyIndex(directory: number, name: string): void {
  const found = statAt(directory, "index");
  if (found === undefined) return;
  if (!found.isFile()) throw notPlain("index");
  try {
    linkSync(nameIn(directory, "index"), nameIn(directory, name));
    if (statAt(directory, name)?.isFile() !== true) throw notPlain("index");
    return;
  } catch (error) {
    if (!withoutSecondNames.includes(errorCode(error))) throw error;
  }
  const bytes = readPlainFile(nameIn(directory, "index"), INDEX_BYTES);
  if (bytes === null) throw notPlain("index");
  const file = openSync(nameIn(directory, name), CREATE, 0o666);
  try {
    writeFileSync(file, bytes);
    // Rounded down: if the time is too early, git only compares more files.
    const at = Math.floor(found.mtimeMs / 1000);
    futimesSync(file, at, at);
  } finally {
    closeSync(file);
  }
}

function writeNew(fdPath: string, content: string): void {
  const file = openSync(fdPath, CREATE, 0o666);
  try {
    writeFileSync(file, content);
  } finally {
    closeSync(file);
  }
}

function ownName(kind: "index" | "lock"): string {
  return `sallyport-${kind}-${markOfThisProcess()}-${randomBytes(4).toString("hex")}`;
}

function statAt(directory: number, name: string): Stats | undefined {
  return lstatSync(nameIn(directory, name), { throwIfNoEntry: false });
}

function notPlain(name: string): Error {
  return Object.assign(new Error(`${name} is no plain file`), { code: "ENOTPLAIN" });
}

function removeAt(directory: number, name: string): void {
  try {
    unlinkSync(nameIn(directory, name));
  } catch {
    // It is gone.
  }
}
