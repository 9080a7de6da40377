// Stores between processes what a grant's `hide` globs match in each directory of its tree, so that a new process compares directory
// times instead of reading all directories.
//
// SECURITY(T25): a stored result counts only while the directory's device, inode and change time are the same. Adding, removing or
// renaming an entry changes that time, and nobody can set it. File times advance every few milliseconds, so the result is not stored if
// the directory changed shortly before it was read. Only file systems that keep these times reliably are used.

import { createHash } from "node:crypto";
import {
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import type { ViewPath } from "../action/action.ts";
import { limits } from "../shared/limits.ts";
import { makeDirectories } from "../process/make-directories.ts";
import type { DirectoryStamp } from "./directory-index.ts";

export interface HiddenEntry {
  readonly path: string;
  readonly kind: "file" | "directory";
}

export interface HiddenInDirectory {
  readonly hidden: readonly HiddenEntry[];
  /** Subdirectories that may contain more hidden paths. */
  readonly goOnInto: readonly string[];
}

/** The stored results for one grant's tree. */
export interface HideNotes {
  recall(directory: string, stamp: DirectoryStamp): HiddenInDirectory | null;
  note(directory: string, stamp: DirectoryStamp, found: HiddenInDirectory): void;
  /** Call this after a complete walk. */
  save(): void;
}

type Row = readonly [directory: string, changedMs: number, inode: number, hidden: HiddenEntry[], goOnInto: string[]];

const FORMAT = 2;
const SETTLED_MS = 2_000;
/** ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs. */
const goodFileSystems = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1];
const ownFile = fileURLToPath(import.meta.url);

/** `directory` lies in the state directory, which is private and which no grant covers. */
export class HideMemory {
  readonly #directory: string;
  readonly #opened = new Map<string, HideNotes>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Null if the file system of this tree is not reliable enough. */
  open(view: ViewPath): HideNotes | null {
    const key = keyOf(view);
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    if (!isGoodFileSystem(view.path)) return null;
    const notes = openNotes(`${this.#directory}/${key}.json`, lstatSync(view.path).dev);
    this.#opened.set(key, notes);
    return notes;
  }
}

function openNotes(file: string, device: number): HideNotes {
  const rows = readRows(file);
  let unknown = 0;
  let seen = new Map<string, Row>();
  return {
    recall(directory, { changedMs, inode, device: found }) {
      const row = rows.get(directory);
      const isSame = row !== undefined && row[1] === changedMs && row[2] === inode && found === device;
      if (!isSame) return null;
      seen.set(directory, row);
      return { hidden: row[3], goOnInto: row[4] };
    },
    note(directory, { changedMs, inode, device: found, readAtMs }, { hidden, goOnInto }) {
      unknown += 1;
      if (found !== device || readAtMs - changedMs < SETTLED_MS) return;
      seen.set(directory, [directory, changedMs, inode, [...hidden], [...goOnInto]]);
    },
    save() {
      // Reading a few directories that change all the time costs less than writing the whole file again.
      const isWorthIt = unknown > Math.max(16, seen.size / 50);
      for (const [directory, row] of seen) rows.set(directory, row);
      if (isWorthIt && seen.size <= limits.hideMemoryDirectoryCount) writeRows(file, [...seen.values()]);
      unknown = 0;
      seen = new Map();
    },
  };
}

function readRows(file: string): Map<string, Row> {
  try {
    const rows = JSON.parse(readFileSync(file, "utf8")) as Row[];
    utimesSync(file, new Date(), new Date()); // marks the file as used; `removeOldest` removes the least recently used
    return new Map(rows.map((row) => [row[0], row]));
  } catch {
    return new Map(); // the file is absent or incomplete
  }
}

function writeRows(file: string, rows: readonly Row[]): void {
  const directory = file.slice(0, file.lastIndexOf("/"));
  const draft = `${file}.${process.pid}.new`;
  try {
    makeDirectories(directory, 0o700);
    writeFileSync(draft, JSON.stringify(rows), { mode: 0o600 });
    renameSync(draft, file);
    removeOldest(directory);
  } catch {
    rmSync(draft, { force: true }); // for example a full disk: the next process reads the tree again
  }
}

function removeOldest(directory: string): void {
  const files = readdirSync(directory).map((name) => `${directory}/${name}`);
  const byAge = files.map((file) => ({ file, usedMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  const tooMany = byAge.toSorted((a, b) => b.usedMs - a.usedMs).slice(limits.hideMemoryTreeCount);
  for (const { file } of tooMany) rmSync(file, { force: true });
}

/** Includes the user, the version of this file, and the grant. Another version may interpret a glob differently. */
function keyOf({ path, hide, shown = [] }: ViewPath): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(ownFile);
  const parts = [FORMAT, process.geteuid?.() ?? 0, [ownFile, ino, size, mtimeMs, ctimeMs], path, hide, shown];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

function isGoodFileSystem(path: string): boolean {
  try {
    return goodFileSystems.includes(statfsSync(path).type);
  } catch {
    return false;
  }
}
