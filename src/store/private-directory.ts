// Opens directories and files that belong to one person alone. It makes them private, and refuses those that others could change.

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { JournalFault } from "../audit/journal.ts";
import { makeDirectories } from "../process/make-directories.ts";

/** Makes the directory (0700) if it is absent; refuses it if another user owns it or can write to it. */
export function openPrivateDirectory(path: string, what: string): void {
  try {
    makeDirectories(path, 0o700);
  } catch (error) {
    throw new JournalFault(`The ${what} ${path} cannot be made: ${messageOf(error)}`, { cause: error });
  }
  const found = statSync(path);
  if (!found.isDirectory()) throw new JournalFault(`The ${what} ${path} is not a directory.`);
  if (found.uid !== process.geteuid?.()) {
    throw new JournalFault(`The ${what} ${path} belongs to another user (uid ${found.uid}).`, {
      hint: `Choose a directory of your own, or: chown ${process.geteuid?.()} ${path}`,
    });
  }
  if ((found.mode & 0o022) !== 0) {
    throw new JournalFault(`The ${what} ${path} can be written by others.`, { hint: `chmod 700 ${path}` });
  }
}

/** Makes the file (0600) if it is absent. True if it was. */
export function openPrivateFile(path: string): boolean {
  if (isLink(path)) throw new JournalFault(`${path} is a symbolic link, and must be a file of its own.`);
  try {
    const file = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_NOFOLLOW, 0o600);
    closeSync(file);
    syncDirectoryOf(path);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST")
      throw new JournalFault(`${path} cannot be made: ${messageOf(error)}`, { cause: error });
  }
  const found = statSync(path);
  if (found.uid !== process.geteuid?.()) throw new JournalFault(`${path} belongs to another user (uid ${found.uid}).`);
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  return false;
}

/** Writes the file under another name, then links it. If two processes do so at once, one wins, and both read its content. */
export function writeOnce(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, content, { mode: 0o600, flag: "wx", flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
  syncDirectoryOf(path);
}

/** A new file survives a power cut only if its directory entry was synced. */
function syncDirectoryOf(path: string): void {
  const directory = openSync(path.slice(0, path.lastIndexOf("/")) || "/", constants.O_RDONLY);
  try {
    if (fstatSync(directory).isDirectory()) fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
