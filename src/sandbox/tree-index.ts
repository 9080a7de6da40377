// Remembers what the gate materialized in a tree. After a program had direct access, it finds what changed, and reads only that.

import { type BigIntStats, chmodSync, type Dirent, lstatSync, readdirSync, readlinkSync, rmdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SpecialKind, RunTreeChange, RunTreeChanges } from "../process/outcome.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { limits } from "../shared/limits.ts";
import type { MaterializedContent, MaterializedTree } from "./materialized-tree.ts";
import { decodePath, escapePath } from "./tree-path.ts";
import type { TreeBounds } from "./tree-stream.ts";

/** File times advance in ticks, so a file that changed this recently may change again without a new time. */
const RACY_MS = 20;
const FILES_AT_ONCE = 500;

/** A path with one character per byte, because names need not be UTF-8. */
type BytePath = string;

interface Known {
  readonly content: MaterializedContent;
  stamp: string;
}

interface ChangeScan {
  /** The directory of the tree. */
  readonly root: BytePath;
  discard(path: Buffer): void;
  readonly seen: Set<BytePath>;
  readonly changes: RunTreeChange[];
  /** Paths that differ from what was materialized, including those that are not reported as changes. */
  readonly touched: Set<BytePath>;
  bytesLeft: number;
  filesLeft: number;
  visited: number;
}

export class TreeIndex {
  readonly #known = new Map<BytePath, Known>();

  note(path: string, content: MaterializedContent, found: BigIntStats): void {
    this.#known.set(toBytes(path), { content, stamp: stampOf(found) });
  }

  forget(path: string): void {
    this.#known.delete(toBytes(path));
  }

  /** Returns what differs from what was materialized, and restores it. Nobody else changes the tree meanwhile. */
  async takeChanges(tree: MaterializedTree, bounds: TreeBounds): Promise<RunTreeChanges> {
    const scan: ChangeScan = {
      root: toBytes(tree.path),
      discard: (path) => tree.discard(path),
      seen: new Set(),
      changes: [],
      touched: new Set(),
      bytesLeft: bounds.sizeBytes,
      filesLeft: bounds.fileCount,
      visited: 0,
    };
    tree.forget();
    await this.#scanDirectory(scan, "", 0);
    const gone = [...this.#known.keys()].filter((path) => !scan.seen.has(path));
    for (const path of gone) scan.touched.add(path);
    this.#layAgain(tree, scan.touched);
    const changes = [...gone.map(goneAt), ...scan.changes]; // removals come first: a directory may now have the name of a removed file
    return { isComplete: scan.filesLeft >= 0, changes };
  }

  /** Removes new files first, because they may be in the way of restored ones. */
  #layAgain(tree: MaterializedTree, touched: ReadonlySet<BytePath>): void {
    const paths = [...touched];
    for (const path of paths.filter((each) => !this.#known.has(each))) tree.remove(toText(path));
    for (const path of paths) {
      const content = this.#known.get(path)?.content;
      if (content?.kind === "file") tree.write(toText(path), content.bytes, content.executable);
      else if (content?.kind === "link") tree.link(toText(path), content.target);
    }
  }

  /** Returns how many entries are left in the directory. */
  async #scanDirectory(scan: ChangeScan, directory: BytePath, depth: number): Promise<number> {
    let kept = 0;
    for (const entry of listDirectory(pathIn(scan, directory))) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (entry.name === ".git") scan.discard(pathIn(scan, path));
      else if (entry.isDirectory() && canEnter(scan, path, depth)) kept += await this.#directory(scan, path, depth);
      else if (this.#file(scan, path, entry)) kept += 1;
      if ((scan.visited += 1) % FILES_AT_ONCE === 0) await nextTurn();
    }
    return kept;
  }

  async #directory(scan: ChangeScan, path: BytePath, depth: number): Promise<number> {
    const kept = await this.#scanDirectory(scan, path, depth + 1);
    if (kept === 0) {
      scan.changes.push(directoryAt(path));
      rmdirSync(pathIn(scan, path)); // the materialized tree had no empty directories
    }
    return kept > 0 ? 1 : 0;
  }

  /** Returns whether the entry is still in the directory. */
  #file(scan: ChangeScan, path: BytePath, entry: Dirent): boolean {
    const fullPath = pathIn(scan, path);
    const found = lstatSync(fullPath, { bigint: true });
    const known = this.#known.get(path);
    const stamp = stampOf(found);
    scan.seen.add(path);
    if (known?.stamp === stamp && !stamp.startsWith("racy")) return true;
    scan.filesLeft -= 1;
    const change = scan.filesLeft < 0 ? null : changeAt(scan, path, entry, found);
    if (change !== null && known !== undefined && isSame(change, known.content)) {
      known.stamp = stamp;
      if (!hasMaterializedMode(found, known.content)) scan.touched.add(path);
      return true;
    }
    if (change !== null) scan.changes.push(change);
    if (known !== undefined || (change !== null && change.kind !== "special")) scan.touched.add(path);
    if (change !== null && change.kind !== "special") return true;
    scan.discard(fullPath);
    return false;
  }
}

/** Paths of files inside must not be longer than the kernel allows. */
function canEnter({ root }: ChangeScan, path: BytePath, depth: number): boolean {
  return depth < limits.workspaceDepth && root.length + path.length + limits.workspaceNameBytes + 2 < limits.pathBytes;
}

function changeAt(scan: ChangeScan, bytePath: BytePath, entry: Dirent, found: BigIntStats): RunTreeChange {
  const bytes = Buffer.from(bytePath, "latin1");
  const path = decodePath(bytes);
  const special = (what: SpecialKind): RunTreeChange => ({ kind: "special", path: path ?? escapePath(bytes), what });
  if (path === null) return special("name");
  if (entry.isDirectory()) return special("depth");
  if (entry.isSymbolicLink()) {
    const target = decodePath(readlinkSync(pathIn(scan, bytePath), { encoding: "buffer" }));
    return target === null ? special("name") : { kind: "link", path, target };
  }
  if (!entry.isFile()) return special("not_a_file");
  if (found.size > BigInt(scan.bytesLeft)) return special("size");
  scan.bytesLeft -= Number(found.size);
  return {
    kind: "file",
    path,
    bytes: readOwn(pathIn(scan, bytePath), found),
    executable: (found.mode & 0o111n) !== 0n,
  };
}

function isSame(change: RunTreeChange, content: MaterializedContent): boolean {
  if (change.kind === "link") return content.kind === "link" && content.target === change.target;
  if (change.kind !== "file" || content.kind !== "file") return false;
  return change.executable === content.executable && Buffer.compare(change.bytes, content.bytes) === 0;
}

function hasMaterializedMode(found: BigIntStats, content: MaterializedContent): boolean {
  return content.kind === "link" || (found.mode & 0o7777n) === (content.executable ? 0o755n : 0o644n);
}

function directoryAt(path: BytePath): RunTreeChange {
  return { kind: "directory", path: toText(path) };
}

function goneAt(path: BytePath): RunTreeChange {
  return { kind: "gone", path: toText(path) };
}

/** Restores read permission first, because a program can remove it. */
function readOwn(path: Buffer, found: BigIntStats): Buffer {
  if ((found.mode & 0o400n) === 0n) chmodSync(path, Number(found.mode & 0o777n) | 0o600);
  const bytes = readPlainFile(path, Number(found.size));
  if (bytes === null) throw new Error("a file of the workspace changed while it was taken back");
  return bytes;
}

function listDirectory(path: Buffer): Dirent[] {
  if ((lstatSync(path).mode & 0o777) !== 0o755) chmodSync(path, 0o755);
  return readdirSync(path, { withFileTypes: true, encoding: "latin1" });
}

function pathIn({ root }: ChangeScan, path: BytePath): Buffer {
  return Buffer.from(path === "" ? root : `${root}/${path}`, "latin1");
}

function toBytes(path: string): BytePath {
  return Buffer.from(path).toString("latin1");
}

/** Only for paths that are UTF-8. */
function toText(path: BytePath): string {
  return Buffer.from(path, "latin1").toString();
}

/** Includes ctime, which no program can set, and other fields that show a change. */
function stampOf(found: BigIntStats): string {
  const isRacy = Number(found.ctimeMs) > Date.now() - RACY_MS;
  return `${isRacy ? "racy" : "calm"} ${found.ino} ${found.ctimeNs} ${found.mtimeNs} ${found.size} ${found.mode}`;
}
