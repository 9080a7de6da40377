// The state that the next commit of a push is built on: a tree of the target, or one that the push itself has made.

import { type GitObject, makeObject, type ObjectHash, type ObjectId } from "../object.ts";
import { byteText, entryKind, parseTree, type TreeEntry } from "../tree-entry.ts";
import { buildTree, type BuiltTree, type FileChange, type TreeFile } from "../tree.ts";
import type { TargetReading } from "../../target/target.ts";
import type { Result } from "../../../shared/result.ts";

const encoder = new TextEncoder();
// A name that is not UTF-8 is none of those that others are compared with.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LISTED_TREES = 1000;

export interface ListedTree {
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly directories: ReadonlySet<string>;
  readonly same: ReadonlySet<string>;
}

/** A file with the bytes that it gets; null if it is deleted. */
export interface ChangedFile {
  readonly path: string;
  readonly after: { readonly mode: "100644" | "100755" | "120000"; readonly bytes: Uint8Array } | null;
}

export class OntoTree {
  readonly #reading: TargetReading;
  readonly #hash: ObjectHash;
  /** Null for an empty tree. */
  #tree: ObjectId | null;
  /** What the push has made so far. */
  readonly #made = new Map<ObjectId, GitObject>();
  readonly #read = new Map<ObjectId, Promise<readonly TreeEntry[]>>();
  /** The same by name. */
  readonly #named = new Map<ObjectId, ReadonlyMap<string, TreeEntry>>();

  constructor(reading: TargetReading, hash: ObjectHash) {
    this.#reading = reading;
    this.#hash = hash;
    this.#tree = reading.state.baseTree;
  }

  get tree(): ObjectId | null {
    return this.#tree;
  }

  get objects(): readonly GitObject[] {
    return [...this.#made.values()];
  }

  /** The file or link at a path; null if there is none. */
  async find(path: string): Promise<TreeFile | null> {
    const names = path.split("/");
    let tree = this.#tree;
    for (const [at, name] of names.entries()) {
      if (tree === null) return null;
      const entry = (await this.#byName(tree)).get(byteText(encoder.encode(name)));
      if (entry === undefined) return null;
      const kind = entryKind(entry.mode);
      if (at === names.length - 1) return kind === "directory" ? null : { mode: entry.mode, id: entry.id };
      if (kind !== "directory") return null;
      tree = entry.id;
    }
    return null;
  }

  async hasDirectory(path: string): Promise<boolean> {
    return (await this.#directory(path)) !== null;
  }

  /** What is below a directory, without directories that are the same. Null if that is too much to read. */
  async list(below: string, isSame: (path: string, id: ObjectId) => boolean): Promise<ListedTree | null> {
    const listed = { files: new Map<string, TreeFile>(), directories: new Set<string>(), same: new Set<string>() };
    let trees = 0;
    const walk = async (id: ObjectId, directory: string): Promise<boolean> => {
      if ((trees += 1) > LISTED_TREES) return false;
      for (const { name, mode, id: own } of await this.#entries(id)) {
        const text = decoder.decode(name);
        const path = directory === "" ? text : `${directory}/${text}`;
        const isDirectory = entryKind(mode) === "directory";
        if (!isDirectory) listed.files.set(path, { mode, id: own });
        else {
          listed.directories.add(path);
          if (isSame(path, own)) listed.same.add(path);
          else if (!(await walk(own, path))) return false;
        }
      }
      return true;
    };
    const top = await this.#directory(below);
    return top === null || (await walk(top, below)) ? listed : null;
  }

  /** The id of a directory's tree; null if there is none. */
  async #directory(path: string): Promise<ObjectId | null> {
    let tree = this.#tree;
    for (const name of path === "" ? [] : path.split("/")) {
      const entry = tree === null ? undefined : (await this.#byName(tree)).get(byteText(encoder.encode(name)));
      tree = entry !== undefined && entryKind(entry.mode) === "directory" ? entry.id : null;
    }
    return tree;
  }

  /** Without those that have more bytes than `most`, where the target can tell without reading them. */
  async readBlobs(ids: readonly ObjectId[], most = Infinity): Promise<Map<ObjectId, Uint8Array>> {
    const own = ids.flatMap((id) => this.#made.get(id) ?? []).map(({ id, content }) => [id, content] as const);
    let missing = ids.filter((id) => !this.#made.has(id));
    const sizes = most === Infinity ? undefined : await this.#reading.measureBlobs?.(missing);
    if (sizes !== undefined) missing = missing.filter((id) => (sizes.get(id) ?? 0) <= most);
    return new Map([...own, ...(missing.length === 0 ? [] : await this.#reading.readBlobs(missing))]);
  }

  /** Makes the changes the state that the next commit is built on. */
  async apply(changes: readonly ChangedFile[]): Promise<Result<BuiltTree>> {
    const entries: FileChange[] = [];
    const blobs: GitObject[] = [];
    for (const { path, after } of changes) {
      if (after === null) {
        entries.push({ path, mode: null });
        continue;
      }
      const blob = await makeObject(this.#hash, "blob", after.bytes);
      blobs.push(blob);
      entries.push({ path, mode: after.mode, id: blob.id, size: after.bytes.length });
    }
    const source = { read: (id: ObjectId) => this.#entries(id) };
    const built = await buildTree(this.#tree, entries, { hash: this.#hash, source });
    if (!built.ok) return built;
    for (const object of [...blobs, ...built.value.objects]) this.#made.set(object.id, object);
    this.#tree = built.value.id;
    return built;
  }

  async #byName(id: ObjectId): Promise<ReadonlyMap<string, TreeEntry>> {
    const known =
      this.#named.get(id) ?? new Map((await this.#entries(id)).map((entry) => [byteText(entry.name), entry]));
    this.#named.set(id, known);
    return known;
  }

  #entries(id: ObjectId): Promise<readonly TreeEntry[]> {
    const known = this.#read.get(id) ?? this.#readEntries(id);
    this.#read.set(id, known);
    return known;
  }

  async #readEntries(id: ObjectId): Promise<readonly TreeEntry[]> {
    const made = this.#made.get(id);
    if (made === undefined) return await this.#reading.readTree(id);
    const entries = parseTree(made.content, this.#hash.format);
    if (entries === null) throw new Error(`the tree ${id} is broken`);
    return entries;
  }
}
