// The directory of a draft on the disk, in the state directory, where no box sees it but for its parts that a box shows.
//
//   upper, work   the layer, and the kernel's own directory for it
//   room          where the holder mounts the draft and records its changes; empty for everybody else
//   git           the session's git directory, which the holder mounts over the project's .git
//   home          HOME of programs, unless `sallyport run` started them
//   kept          the name of the home that those have: kept-home.ts
//   users, holder, boxes   see native/keeper.c
//   seen, looked  what the project had when the draft began, and what the last look found: draft-seen.ts
//   touched, shielded   whether something was changed in the draft: draft-touched.ts
//   used          how much it takes on the disk: draft-use.ts
//   live          there if all of the project shows through: native/keeper.c
//   landing       while the draft lands in the work tree: draft-landing.ts
//   pull          while the draft moves to a new start: see draft-pull.ts
//   draft.json    what the draft is; written last, so that a directory without it is no draft
//
// Invariant: a draft appears under its name all at once. Whoever is interrupted while making one leaves a directory that counts for nothing.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { makeDirectories } from "../process/make-directories.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { markOfThisProcess, mayBeAlive, processMark } from "../process/process-mark.ts";
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
  /** The person's commit on which it is based; null if there was none, or the draft has no history. */
  readonly head: string | null;
  /** What `head` is called in the draft, whose history has nothing hidden. Absent if it is the same. */
  readonly parent?: string | undefined;
  /** The state of the person's repository when the draft began; null if the project is none. */
  readonly stamp: string | null;
  /** The patterns that hid files when the draft began. */
  readonly hide: string;
  /** Paths that are in the draft although a glob for untracked files matches: the person's commit has them. Older gates wrote none. */
  readonly shown?: readonly string[];
  /** Directories in which the project shows through, each with the names that it had. "" is the project itself. Empty if `isLive`. */
  readonly merged: Readonly<Record<string, readonly string[]>>;
  /** Directories in those of `merged` that were copied: nothing of the project shows through in them. */
  readonly sealed: readonly string[];
  /** What is ignored in the project by rules from above it: see `Workspace`. Absent in the draft of a whole repository. */
  readonly ignoreRules?: string;
  /** Whether the project was too large to copy, so that all of it shows through. */
  readonly isLive: boolean;
  /** Files that are too large to copy, or cannot be read: they show through, and git passes over them. Absent if there are none. */
  readonly leftOut?: readonly string[];
}

const RECORD_BYTES = 64 << 20;

/** Makes an empty draft. Throws if it cannot. */
export function makeDraftDirectory(directory: string, mkfifo: string): void {
  makeDirectories(parentPath(directory), 0o700);
  mkdirSync(directory, { mode: 0o700 });
  for (const name of ["upper", "upper/.git", "work", "room", "home", "git"])
    mkdirSync(`${directory}/${name}`, { mode: name.startsWith("upper") ? 0o755 : 0o700 });
  const made = runHelper(mkfifo, ["-m", "600", `${directory}/users`]);
  if (made.exitCode !== 0) throw new Error(`mkfifo could not make a pipe: ${made.stderr.trim()}`);
}

/** Cheaper than reading the record, which may be large. */
export function hasDraft(directory: string): boolean {
  return existsSync(`${directory}/draft.json`);
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
  const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
  if (bytes.length > RECORD_BYTES)
    throw new Error("The draft shows too many directories of the project to record them.");
  if (record.isLive) writeFileSync(`${from}/live`, "", { mode: 0o600 });
  writeFileSync(`${from}/draft.json`, bytes, { mode: 0o600, flush: true });
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

/** Does nothing if another gate removes it. `name`: of the draft to which the directory belongs, for the sweep if this gate is killed. */
export function removeDraft(directory: string, name = directory.replace(unfinished, "")): void {
  try {
    removeTree(directory, () => unfinishedDraft(name, "gone"));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

// A draft's own name ends in a hash.
const unfinished = new RegExp(`\\.(${processMark})-([0-9a-z]+)-\\d+\\.(?:begin|gone|held)$`);
const DAY_MS = 24 * 60 * 60 * 1000;
let serial = 0;

/** A new name for a draft while this gate makes it, removes it, or holds it back to look at it. */
export function unfinishedDraft(directory: string, kind: "begin" | "gone" | "held"): string {
  return `${directory}.${markOfThisProcess()}-${Date.now().toString(36)}-${(serial += 1)}.${kind}`;
}

/**
 * Gives a draft that a gate held back its name again. If another one has that name by now, this one stays under another: no session uses
 * it, but people find it.
 */
export function giveBackDraft(held: string): void {
  const directory = held.replace(unfinished, "");
  try {
    renameSync(held, directory);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return; // another gate was faster
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error))) throw error;
    renameSync(held, `${directory}-${Date.now().toString(36)}`);
  }
}

/** Whether the name is of a finished draft, of one that a gate makes, removes or looks at, or of what such a gate has left behind. */
export function stateOfName(name: string): "finished" | "in work" | "left behind" {
  const [, mark, begun] = unfinished.exec(name) ?? [];
  if (mark === undefined || begun === undefined) return "finished";
  // In another pid namespace, such as that of a container which ran before this one, nobody can tell. But none of this takes a day.
  return mayBeAlive(mark) && Date.now() - Number.parseInt(begun, 36) < DAY_MS ? "in work" : "left behind";
}

/** Files of the session's git directory, by their path in it. */
export function writeGitDirectory(directory: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    makeDirectories(`${directory}/git/${name}`, 0o700);
  // SECURITY(T48): parts of these names come from a repository, so none leads out of the directory, and no link is followed.
  const git = new DirectoryHandle(`${directory}/git`, undefined, openDirectory);
  try {
    for (const [name, content] of Object.entries(files))
      git.makeAt(name, (path) => {
        rmSync(path, { force: true });
        writeFileSync(path, content, { flag: "wx" });
      });
  } finally {
    git.close();
  }
}

export interface PersonsIndex {
  readonly bytes: Uint8Array;
  readonly mtimeMs: number;
}

/** Git reads files again that are not older than the index, because it could not tell otherwise that they have changed. */
export function writeIndex(directory: string, { bytes, mtimeMs }: PersonsIndex): void {
  const path = `${directory}/git/index`;
  writeFileSync(path, bytes);
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
}
