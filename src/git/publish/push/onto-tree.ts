// The state that the next commit of a push is built on: a tree of the target, or one that the push itself has made.

import { type GitObject, makeObject, type ObjectHash, type ObjectId } from "../object.ts";
import { byteText, entryKind, parseTree, type TreeEntry } from "../tree-entry.ts";
import { buildTree, type BuiltTree, type FileChange, type TreeFile } from "../tree.ts";
import type { TargetReading } from "../../target/target.ts";
import type { Result } from "../../../shared/result.ts";

const encoder = new TextEncoder();

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

  async readBlobs(ids: readonly ObjectId[]): Promise<Map<ObjectId, Uint8Array>> {
    const own = ids.flatMap((id) => this.#made.get(id) ?? []).map(({ id, content }) => [id, content] as const);
    const missing = ids.filter((id) => !this.#made.has(id));
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
