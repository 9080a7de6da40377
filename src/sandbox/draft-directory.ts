// The directory of a draft on the disk, in the state directory, where no box sees it but for its parts that a box shows.
//
//   upper, work   the layer, and the kernel's own directory for it
//   room          where the holder mounts; empty for everybody else
//   git           the session's git directory, which the holder mounts over the project's .git
//   home          HOME of programs
//   users, holder, sync, changes   see native/keeper.c
//   draft.json    what the draft is; written last, so that a directory without it is no draft
//
// Invariant: a draft appears under its name all at once. Whoever is interrupted while making one leaves a directory that counts for nothing.

import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { makeDirectories } from "../process/make-directories.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { runHelper } from "../process/start.ts";
import { errorCode } from "../shared/error-code.ts";
import { joinPath, parentPath } from "../shared/path.ts";
import { removeTree } from "./remove-tree.ts";

export interface DraftRecord {
  readonly version: 1;
  readonly project: string;
  readonly agent: string;
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  /** The first commit of the session. The agent's changes are what differs from it. */
  readonly base: string;
  /** The person's commit on which it is based; null if there was none, or git must not show it. */
  readonly head: string | null;
  /** The state of the person's repository when the draft began; null if the project is none. */
  readonly stamp: string | null;
  /** The patterns that hid files when the draft began. */
  readonly hide: string;
  /** Directories in which the project shows through, each with the names that it had. "" is the project itself. */
  readonly merged: Readonly<Record<string, readonly string[]>>;
  /** Directories in those of `merged` that were copied: nothing of the project shows through in them. */
  readonly sealed: readonly string[];
  /** Whether the project was too large to copy, so that all of it shows through. */
  readonly isLive: boolean;
}

const RECORD_BYTES = 16 << 20;

/** Makes an empty draft. Throws if it cannot. */
export function makeDraftDirectory(directory: string, mkfifo: string): void {
  makeDirectories(parentPath(directory), 0o700);
  mkdirSync(directory, { mode: 0o700 });
  for (const name of ["upper", "upper/.git", "work", "room", "home", "sync", "git"])
    mkdirSync(`${directory}/${name}`, { mode: name.startsWith("upper") ? 0o755 : 0o700 });
  const made = runHelper(mkfifo, ["-m", "600", `${directory}/users`]);
  if (made.exitCode !== 0) throw new Error(`mkfifo could not make a pipe: ${made.stderr.trim()}`);
}

/** Null if there is no draft in the directory. */
export function readDraftRecord(directory: string): DraftRecord | null {
  try {
    const text = readPlainFile(`${directory}/draft.json`, RECORD_BYTES)?.toString("utf8");
    return text === undefined ? null : (JSON.parse(text) as DraftRecord);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Gives a finished draft its name. False if another gate was faster. */
export function publishDraft(from: string, to: string, record: DraftRecord): boolean {
  writeFileSync(`${from}/draft.json`, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error))) throw error;
    return false;
  }
}

/** The directories in `merged` that hide those of the project. Right only until the draft is used. */
export function sealedDirectories(directory: string, merged: readonly string[]): string[] {
  const shown = new Set(merged);
  return merged.flatMap((above) => layerDirectories(`${directory}/upper`, above)).filter((path) => !shown.has(path));
}

function layerDirectories(upper: string, above: string): string[] {
  try {
    return readdirSync(joinPath(upper, above), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => (above === "" ? name : `${above}/${name}`));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return []; // nothing was copied there
    throw error;
  }
}

export function removeDraft(directory: string): void {
  let count = 0;
  removeTree(directory, () => `${directory}.gone-${process.pid}-${Date.now().toString(36)}-${(count += 1)}`);
}

/** Files of the session's git directory, by their path in it. */
export function writeGitDirectory(directory: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    makeDirectories(`${directory}/git/${name}`, 0o700);
  for (const [name, content] of Object.entries(files)) {
    // SECURITY(T48): parts of these names come from a repository.
    if (name.split("/").some((part) => part === "" || part === "." || part === ".."))
      throw new TypeError(`${JSON.stringify(name)} is not a path in a git directory`);
    const cut = name.lastIndexOf("/");
    if (cut > 0) makeDirectories(`${directory}/git/${name.slice(0, cut)}`, 0o700);
    writeFileSync(`${directory}/git/${name}`, content);
  }
}
