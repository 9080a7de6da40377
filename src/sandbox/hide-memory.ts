// Stores between processes what a grant's `hide` globs match in each directory of its tree, so that a new process compares directory
// times instead of reading all directories.
//
// SECURITY(T25): a stored result counts only while the directory's device, inode and change time are the same. Adding, removing or
// renaming an entry changes that time, and nobody can set it. File times advance every few milliseconds, so the result is not stored if
// the directory changed shortly before it was read. Only file systems that keep these times reliably are used.

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ViewPath } from "../action/action.ts";
import { limits } from "../shared/limits.ts";
import { makeDirectories } from "../process/make-directories.ts";
import type { DirectoryStamp } from "./directory-index.ts";
import { keepsTimes } from "./file-system-kind.ts";

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
const ownFile = fileURLToPath(import.meta.url);

/** `directory` lies in the state directory, which is private and which no grant covers. */
export class HideMemory {
  readonly #directory: string;
  readonly #opened = new Map<string, OpenedNotes>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Null if the file system of this tree is not reliable enough. */
  open(view: ViewPath): HideNotes | null {
    const key = keyOf(view);
    const known = this.#opened.get(key);
    if (known !== undefined) {
      known.begin();
      return known;
    }
    if (!keepsTimes(view.path)) return null;
    const notes = openNotes(`${this.#directory}/${key}.json`, lstatSync(view.path).dev);
    this.#opened.set(key, notes);
    return notes;
  }
}

interface OpenedNotes extends HideNotes {
  /** Before each walk: the one before may not have come to its end. */
  begin(): void;
}

function openNotes(file: string, device: number): OpenedNotes {
  const rows = new RowsInOrder(readRows(file));
  let unknown = 0;
  let seen: Row[] = [];
  const begin = () => {
    rows.startAgain();
    unknown = 0;
    seen = [];
  };
  return {
    begin,
    recall(directory, { changedMs, inode, device: found }) {
      const row = rows.find(directory);
      const isSame = row !== undefined && row[1] === changedMs && row[2] === inode && found === device;
      if (!isSame) return null;
      seen.push(row);
      return { hidden: row[3], goOnInto: row[4] };
    },
    note(directory, { changedMs, inode, device: found, readAtMs }, { hidden, goOnInto }) {
      unknown += 1;
      if (found !== device || readAtMs - changedMs < SETTLED_MS) return;
      seen.push([directory, changedMs, inode, [...hidden], [...goOnInto]]);
    },
    save() {
      // Reading a few directories that change all the time costs less than writing the whole file again.
      const isWorthIt = unknown > Math.max(16, seen.length / 50);
      if (unknown > 0) rows.replace(seen);
      if (isWorthIt && seen.length <= limits.hideMemoryDirectoryCount) writeRows(file, seen);
      begin();
    },
  };
}

/** Rows in the order of a walk. The next walk asks in the same order as long as nothing changes, so that few are searched for. */
class RowsInOrder {
  #rows: readonly Row[];
  #next = 0;
  #byDirectory: Map<string, number> | null = null;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  find(directory: string): Row | undefined {
    const next = this.#rows[this.#next];
    if (next?.[0] === directory) {
      this.#next += 1;
      return next;
    }
    this.#byDirectory ??= new Map(this.#rows.map((row, index) => [row[0], index]));
    const found = this.#byDirectory.get(directory);
    if (found === undefined) return undefined;
    this.#next = found + 1;
    return this.#rows[found];
  }

  replace(rows: readonly Row[]): void {
    this.#rows = rows;
    this.#byDirectory = null;
  }

  startAgain(): void {
    this.#next = 0;
  }
}

function readRows(file: string): Row[] {
  try {
    const rows = JSON.parse(readFileSync(file, "utf8")) as Row[];
    if (!rows.every(Array.isArray)) return [];
    utimesSync(file, new Date(), new Date()); // marks the file as used; `removeOldest` removes the least recently used
    return rows;
  } catch {
    return []; // the file is absent or incomplete
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
