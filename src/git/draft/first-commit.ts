// Reads files of a draft's first commit, by paths: one git for all directories, and one for all files.
// Invariant: every commit, tree and blob is hashed here and matches the id that the one above it names, from the commit's id on, which the
// gate knows. So an agent that writes to the draft's git directory can make reading fail, but cannot change what is read.

import type { Hashes } from "../../shared/hash.ts";
import { ok, type Result } from "../../shared/result.ts";
import { parentsOf, rootPath, type WorkspacePath } from "../../workspace/path.ts";
import { idOfObject } from "../object-hash.ts";
import type { ObjectFormat, ObjectId, ObjectType } from "../publish/object.ts";
import { byteText, entryKind, parseTree, type TreeEntry } from "../publish/tree-entry.ts";
import { fileMode, type FileMode } from "../publish/tree.ts";
import { type BatchObject, brokenAnswer, type DraftGit, readBatch } from "./draft-git.ts";

/** A file as a tree names it. */
export interface NamedBlob {
  readonly mode: FileMode;
  readonly id: ObjectId;
}

type Directory = ReadonlyMap<string, TreeEntry>;

const encoder = new TextEncoder();

export class FirstCommit {
  readonly #git: DraftGit;
  readonly #id: ObjectId;
  readonly #hashes: Hashes;
  /** Null if the commit has no such directory. A commit never changes, so neither does this. */
  readonly #directories = new Map<WorkspacePath, Directory | null>();

  constructor(git: DraftGit, id: ObjectId, hashes: Hashes) {
    this.#git = git;
    this.#id = id;
    this.#hashes = hashes;
  }

  /** Files and links at these paths. Directories and submodules are left out. */
  async find(paths: readonly WorkspacePath[]): Promise<Result<Map<WorkspacePath, NamedBlob>>> {
    const directories = new Set<WorkspacePath>(paths.length === 0 ? [] : [rootPath]);
    for (const path of paths) for (const directory of parentsOf(path)) directories.add(directory);
    const read = await this.#readDirectories([...directories]);
    if (!read.ok) return read;
    const found = new Map<WorkspacePath, NamedBlob>();
    for (const path of paths) {
      const entry = this.#entry(path);
      const kind = entry === undefined ? "nothing" : entryKind(entry.mode);
      if (entry === undefined || (kind !== "file" && kind !== "symlink")) continue;
      found.set(path, { id: entry.id, mode: fileMode(entry.mode) });
    }
    return ok(found);
  }

  async read(ids: Iterable<ObjectId>): Promise<Result<Map<ObjectId, Uint8Array>>> {
    const wanted = [...new Set(ids)];
    const objects = await readBatch(this.#git, wanted);
    if (!objects.ok) return objects;
    const contents = new Map<ObjectId, Uint8Array>();
    for (const [each, id] of wanted.entries()) {
      const content = this.#checked(objects.value[each] ?? null, "blob", id);
      if (content === null) return brokenAnswer(`${id} is missing, or is another object`);
      contents.set(id, content);
    }
    return ok(contents);
  }

  async #readDirectories(wanted: readonly WorkspacePath[]): Promise<Result<undefined>> {
    // A directory comes after those above it.
    const unknown = wanted
      .filter((path) => !this.#directories.has(path) && !this.#isAbsent(path))
      .sort((a, b) => a.length - b.length);
    if (unknown.length === 0) return ok(undefined);
    const names = unknown.map((path) => (path === rootPath ? `${this.#id}^{tree}` : `${this.#id}:${path}`));
    const objects = await readBatch(this.#git, [this.#id, ...names]);
    if (!objects.ok) return objects;
    const [commit = null, ...trees] = objects.value;
    const root = this.#rootTree(commit);
    if (root === null) return brokenAnswer(`the draft's first commit ${this.#id} is missing, or is another object`);
    for (const [each, path] of unknown.entries()) {
      const entry = path === rootPath ? { mode: "40000", id: root } : this.#entry(path);
      if (entry === undefined || entryKind(entry.mode) !== "directory") {
        this.#directories.set(path, null);
        continue;
      }
      const content = this.#checked(trees[each] ?? null, "tree", entry.id);
      const entries = content === null ? null : parseTree(content, this.#format);
      if (entries === null) return brokenAnswer(`the tree ${entry.id} is missing, or is another object`);
      this.#directories.set(path, new Map(entries.map((one) => [byteText(one.name), one])));
    }
    return ok(undefined);
  }

  /** Whether the commit has no such directory, as far as that is known without reading. */
  #isAbsent(path: WorkspacePath): boolean {
    for (const directory of parentsOf(path)) if (this.#directories.get(directory) === null) return true;
    const above = this.#directories.get(parentOf(path));
    return above !== undefined && path !== rootPath && this.#entry(path) === undefined;
  }

  /** The directory that contains the path must have been read. */
  #entry(path: WorkspacePath): TreeEntry | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return this.#directories.get(parentOf(path))?.get(byteText(encoder.encode(name)));
  }

  #rootTree(commit: BatchObject | null): ObjectId | null {
    const content = this.#checked(commit, "commit", this.#id);
    const line = content === null ? "" : byteText(content.subarray(0, content.indexOf(0x0a)));
    return /^tree ([0-9a-f]+)$/.exec(line)?.[1] ?? null;
  }

  #checked(object: BatchObject | null, type: ObjectType, id: ObjectId): Uint8Array | null {
    if (object === null || object.type !== type) return null;
    return idOfObject(this.#format, type, object.content, this.#hashes) === id ? object.content : null;
  }

  get #format(): ObjectFormat {
    return this.#id.length === 64 ? "sha256" : "sha1";
  }
}

function parentOf(path: WorkspacePath): WorkspacePath {
  return path.slice(0, Math.max(0, path.lastIndexOf("/"))) as WorkspacePath;
}
