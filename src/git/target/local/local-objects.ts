// Reads objects of a repository on this machine by `git cat-file --batch`: many in one process, and only the requested ones.
// If they exceed the read limit, the gate measures them first and reads them in parts.

import { type Failure, failure } from "../../../shared/failure.ts";
import { limits } from "../../../shared/limits.ts";
import { ok, type Result } from "../../../shared/result.ts";
import type { ObjectFormat, ObjectId } from "../../publish/object.ts";
import { parseTree, type TreeEntry } from "../../publish/tree-entry.ts";
import type { Repository } from "../../repository.ts";
import type { GitReader } from "./git-runner.ts";
import { isPartialClone } from "./local-work-trees.ts";
import { TargetReadFailure } from "../target.ts";

export interface FoundObject {
  readonly id: ObjectId;
  readonly type: string;
  readonly content: Uint8Array;
}

const AT_ONCE = 20_000;
const PART_BYTES = limits.gitReadBytes / 4;
const HEADER_BYTES = 100; // before each object, at most
const LF = 0x0a;
const nothing = new Uint8Array(0);

/** In the order of the names, which must contain neither blanks nor line feeds. Null for a missing object. */
export async function readObjects(
  git: GitReader,
  repository: Repository,
  names: readonly string[],
): Promise<Result<(FoundObject | null)[]>> {
  if (names.some((name) => /\s/.test(name))) throw new TypeError("an object's name holds a blank");
  const output = await git.read(repository, ["cat-file", "--batch"], names.map((name) => `${name}\n`).join(""));
  return output.ok ? ok(parseBatch(output.value, names.length)) : output;
}

function parseBatch(output: Uint8Array, count: number): (FoundObject | null)[] {
  const text = Buffer.from(output.buffer, output.byteOffset, output.length);
  const found: (FoundObject | null)[] = [];
  let at = 0;
  for (let each = 0; each < count; each += 1) {
    const end = output.indexOf(LF, at);
    if (end < 0) throw new Error("git cat-file said less than it was asked");
    const header = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(text.toString("latin1", at, end));
    at = end + 1;
    if (header === null) {
      found.push(null);
      continue;
    }
    const [, id = "", type = "", size] = header;
    const behind = at + Number(size);
    if (output[behind] !== LF) throw new Error("git cat-file ended in the middle of an object");
    found.push({ id, type, content: output.subarray(at, behind) });
    at = behind + 1;
  }
  return found;
}

/** In the order of the ids. One process reads each part. */
function partsOf(ids: readonly ObjectId[], sizes: ReadonlyMap<ObjectId, number>): ObjectId[][] {
  const parts: ObjectId[][] = [[]];
  let bytes = 0;
  for (const id of ids) {
    const size = (sizes.get(id) ?? 0) + HEADER_BYTES;
    if (bytes > 0 && bytes + size > PART_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(id);
    bytes += size;
  }
  return parts;
}

/** The failure for an object that the repository lacks. The gate does not fetch it. */
export function missingObject(id: ObjectId, repository: Repository): Failure {
  const directory = repository.workTree ?? repository.gitDirectory;
  if (isPartialClone(repository))
    return failure("tool_failed", `${directory} is a partial clone, and ${id} has not come to it yet.`, {
      hint: "Nothing was changed. Let git fetch it there: check the file out, or git fetch --refetch --no-filter.",
    });
  return failure("tool_failed", `The object ${id} of ${directory} is missing.`, {
    hint: "Nothing was changed. git fsck tells what else is; git fetch may bring it back.",
  });
}

function checked(object: FoundObject | undefined, type: "tree" | "blob"): FoundObject {
  if (object?.type !== type) throw new Error(`${object?.id} is no ${type}`);
  return object;
}

/** One process reads all objects that are requested in one turn of the event loop. Throws if an object cannot be read. */
export class ObjectReader {
  readonly #git: GitReader;
  readonly #repository: Repository;
  readonly #format: ObjectFormat;
  readonly #trees = new Map<ObjectId, Promise<readonly TreeEntry[]>>();
  readonly #blobs = new Map<ObjectId, Uint8Array>();
  readonly #sizes = new Map<ObjectId, number>();
  #waiting: Map<ObjectId, PromiseWithResolvers<FoundObject>> | null = null;

  constructor(git: GitReader, repository: Repository, format: ObjectFormat) {
    this.#git = git;
    this.#repository = repository;
    this.#format = format;
  }

  /** Remembers an object, so that it is not read again. */
  know({ id, type, content }: FoundObject): void {
    if (type === "tree") this.#trees.set(id, Promise.resolve(this.#parse(id, content)));
    else if (type === "blob") this.#blobs.set(id, content);
  }

  readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    let tree = this.#trees.get(id);
    if (tree === undefined) {
      tree = this.#read(id, "tree").then(({ content }) => this.#parse(id, content));
      this.#trees.set(id, tree);
    }
    return tree;
  }

  /** Sizes in bytes, without reading the blobs. */
  async measureBlobs(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, number>> {
    const sizes = new Map<ObjectId, number>();
    const unknown: ObjectId[] = [];
    for (const id of new Set(ids)) {
      const size = this.#blobs.get(id)?.length ?? this.#sizes.get(id);
      if (size === undefined) unknown.push(id);
      else sizes.set(id, size);
    }
    if (unknown.length === 0) return sizes;
    const input = unknown.map((id) => `${id}\n`).join("");
    const output = await this.#git.read(this.#repository, ["cat-file", "--batch-check"], input);
    if (!output.ok) throw new TargetReadFailure(output.failure);
    for (const line of new TextDecoder().decode(output.value).split("\n")) {
      const [, id = "", size] = /^([0-9a-f]{40,64}) \w+ (\d+)$/.exec(line) ?? [];
      if (size === undefined) continue; // a missing object: reading it fails
      this.#sizes.set(id, Number(size));
      sizes.set(id, Number(size));
    }
    return sizes;
  }

  async readBlobs(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Uint8Array>> {
    const wanted = [...new Set(ids)];
    const unknown = wanted.filter((id) => !this.#blobs.has(id));
    const contents = new Map(wanted.map((id) => [id, this.#blobs.get(id) ?? nothing]));
    for (let from = 0; from < unknown.length; from += AT_ONCE) {
      const some = unknown.slice(from, from + AT_ONCE);
      const objects = await this.#readAll(some);
      for (const [each, id] of some.entries()) contents.set(id, checked(objects[each], "blob").content);
    }
    return contents;
  }

  #parse(id: ObjectId, content: Uint8Array): readonly TreeEntry[] {
    const entries = parseTree(content, this.#format);
    if (entries === null) throw new Error(`the tree ${id} of ${this.#repository.commonDirectory} is broken`);
    return entries;
  }

  async #read(id: ObjectId, type: "tree" | "blob"): Promise<FoundObject> {
    if (this.#waiting === null) {
      this.#waiting = new Map();
      setImmediate(() => void this.#send());
    }
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) this.#waiting.set(id, (waiting = Promise.withResolvers()));
    return checked(await waiting.promise, type);
  }

  /** Throws if an object is missing. */
  async #readAll(ids: readonly ObjectId[]): Promise<FoundObject[]> {
    if (ids.every((id) => this.#sizes.has(id))) return this.#readParts(ids);
    const output = await readObjects(this.#git, this.#repository, ids);
    if (output.ok) return this.#present(output.value, ids);
    const sizes = await this.measureBlobs(ids);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size + HEADER_BYTES, 0);
    if (bytes <= limits.gitReadBytes) throw new TargetReadFailure(output.failure);
    return this.#readParts(ids);
  }

  async #readParts(ids: readonly ObjectId[]): Promise<FoundObject[]> {
    const found: FoundObject[] = [];
    for (const part of partsOf(ids, this.#sizes)) {
      const output = await readObjects(this.#git, this.#repository, part);
      if (!output.ok) throw new TargetReadFailure(output.failure);
      found.push(...this.#present(output.value, part));
    }
    return found;
  }

  #present(objects: readonly (FoundObject | null)[], ids: readonly ObjectId[]): FoundObject[] {
    return objects.map((found, each) => {
      if (found === null) throw new TargetReadFailure(missingObject(ids[each] as ObjectId, this.#repository));
      return found;
    });
  }

  async #send(): Promise<void> {
    const all = [...(this.#waiting ?? [])];
    this.#waiting = null;
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all.slice(from, from + AT_ONCE);
      try {
        const objects = await this.#readAll(some.map(([id]) => id));
        for (const [each, [, { resolve }]] of some.entries()) resolve(objects[each] as FoundObject);
      } catch (error) {
        for (const [, { reject }] of some) reject(error);
      }
    }
  }
}
