// Reads and writes the settings files of agent programs (agent-apps.ts lists them). They belong to those programs.
// Invariant: a file is written completely or not at all, only over the content that was read, with its mode and owner, and
// at its real path, so that a link to it stays a link.

import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { resolvePath } from "../process/real-path.ts";
import { makeDirectories } from "../process/make-directories.ts";
import { ancestorsOf, parentPath } from "../shared/path.ts";

export interface AgentFile {
  /** The path as named. */
  readonly file: string;
  /** The real path. */
  readonly real: string;
  /** null if the file does not exist. */
  readonly text: string | null;
}

export type ReadAgentFile =
  | { readonly ok: true; readonly file: AgentFile }
  | { readonly ok: false; readonly reason: string };

const maxBytes = 64 * 1024 * 1024;

export function readAgentFile(path: string): ReadAgentFile {
  const { real, exists, links } = resolvePath(path);
  const no = (reason: string): ReadAgentFile => ({ ok: false, reason });
  if (!exists && links.some((link) => !resolvePath(link.path).exists)) return no("a link leads nowhere there");
  try {
    const opened = readWhole(real);
    return typeof opened === "string" ? { ok: true, file: { file: path, real, text: opened } } : no(opened.reason);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { ok: true, file: { file: path, real, text: null } };
    if (code === "EACCES") return no("it cannot be read: no permission");
    if (code === "ENOTDIR") return no("a file stands where its directory should be");
    return no(`it cannot be read (${code ?? "unknown error"})`);
  }
}

function readWhole(real: string): string | { readonly reason: string } {
  // Non-blocking, so that a named pipe cannot stop init.
  const descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return { reason: "it is not a regular file" };
    if (status.size > maxBytes) return { reason: "it is larger than 64 MiB" };
    const bytes = readFileSync(descriptor);
    // A byte order mark stays part of the text and is written back.
    return isUtf8(bytes)
      ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
      : { reason: "it is not UTF-8 text" };
  } finally {
    closeSync(descriptor);
  }
}

/** The missing parent directories of a file, the outermost first. */
export function missingDirectories(real: string): string[] {
  return ancestorsOf(parentPath(real)).filter((directory) => !existsSync(directory));
}

/** Removes the empty ones, the innermost first. */
export function removeDirectories(made: readonly string[]): void {
  for (const directory of made.toReversed())
    try {
      rmdirSync(directory);
    } catch {
      return; // somebody uses it
    }
}

/** Returns why the file was not written, or null. A null text removes the file. */
export function writeAgentFile(
  { file, real, text: before }: AgentFile,
  text: string | null,
  newMode: 0o600 | 0o644 = 0o600,
): string | null {
  const now = readAgentFile(file);
  if (!now.ok) return now.reason;
  if (now.file.real !== real || now.file.text !== before) return "it was changed in the meantime; nothing was written";
  try {
    if (text === null) unlinkSync(real);
    else if (before === null) {
      makeDirectories(parentPath(real), newMode === 0o600 ? 0o700 : 0o755);
      replace(real, text, null, newMode);
    } else replace(real, text, statusOf(real), newMode);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EROFS" || code === "EPERM") return "it cannot be written: no permission";
    return `it cannot be written (${code ?? String(error)})`;
  }
}

function statusOf(real: string): Stats {
  const descriptor = openSync(real, "r");
  try {
    return fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function replace(real: string, text: string, was: Stats | null, newMode: number): void {
  const draft = `${real}.${process.pid}.draft`;
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    try {
      if (was !== null && (was.uid !== process.getuid?.() || was.gid !== process.getgid?.()))
        fchownSync(descriptor, was.uid, was.gid);
      fchmodSync(descriptor, was === null ? newMode : was.mode & 0o7777);
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, real);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
