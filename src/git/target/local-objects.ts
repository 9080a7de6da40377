// Objects of a repository on this machine, read by `git cat-file --batch`: many in one process, and only those asked for.

import { ok, type Result } from "../../shared/result.ts";
import type { ObjectFormat, ObjectId } from "../publish/object.ts";
import { parseTree, type TreeEntry } from "../publish/tree-entry.ts";
import type { Repository } from "../repository.ts";
import type { GitRunner } from "./git-runner.ts";

export interface FoundObject {
  readonly id: ObjectId;
  readonly type: string;
  readonly content: Uint8Array;
}

const AT_ONCE = 5_000;
const LF = 0x0a;

/** In the order of the names, which hold neither blanks nor line feeds; null for what is not there. */
export async function readObjects(
  git: GitRunner,
  repository: Repository,
  names: readonly string[],
): Promise<Result<(FoundObject | null)[]>> {
  if (names.some((name) => /\s/.test(name))) throw new TypeError("an object's name holds a blank");
  const output = await git.read(repository, ["cat-file", "--batch"], names.map((name) => `${name}\n`).join(""));
  return output.ok ? ok(parseBatch(output.value, names.length)) : output;
}

function parseBatch(output: Uint8Array, count: number): (FoundObject | null)[] {
  const text = new TextDecoder();
  const found: (FoundObject | null)[] = [];
  let at = 0;
  for (let each = 0; each < count; each += 1) {
    const end = output.indexOf(LF, at);
    if (end < 0) throw new Error("git cat-file said less than it was asked");
    const header = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(text.decode(output.subarray(at, end)));
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

/** Whatever is asked for in one turn of the event loop is read by one process. What cannot be read is thrown. */
export class ObjectReader {
  readonly #git: GitRunner;
  readonly #repository: Repository;
  readonly #format: ObjectFormat;
  readonly #trees = new Map<ObjectId, Promise<readonly TreeEntry[]>>();
  #waiting: Map<ObjectId, PromiseWithResolvers<FoundObject>> | null = null;

  constructor(git: GitRunner, repository: Repository, format: ObjectFormat) {
    this.#git = git;
    this.#repository = repository;
    this.#format = format;
  }

  /** What was read along the way need not be read again. */
  know({ id, content }: FoundObject): void {
    this.#trees.set(id, Promise.resolve(this.#parse(id, content)));
  }

  readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    let tree = this.#trees.get(id);
    if (tree === undefined) {
      tree = this.#read(id, "tree").then(({ content }) => this.#parse(id, content));
      this.#trees.set(id, tree);
    }
    return tree;
  }

  async readBlobs(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Uint8Array>> {
    const read = async (id: ObjectId): Promise<[ObjectId, Uint8Array]> => [id, (await this.#read(id, "blob")).content];
    return new Map(await Promise.all([...new Set(ids)].map(read)));
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
    const found = await waiting.promise;
    if (found.type !== type) throw new Error(`${id} is no ${type}`);
    return found;
  }

  async #send(): Promise<void> {
    const all = [...(this.#waiting ?? [])];
    this.#waiting = null;
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all.slice(from, from + AT_ONCE);
      try {
        const names = some.map(([id]) => id);
        const output = await readObjects(this.#git, this.#repository, names);
        if (!output.ok) throw new Error(output.failure.message);
        for (const [each, [id, { resolve, reject }]] of some.entries()) {
          const found = output.value[each];
          if (found) resolve(found);
          else reject(new Error(`the object ${id} of ${this.#repository.commonDirectory} is missing`));
        }
      } catch (error) {
        for (const [, { reject }] of some) reject(error);
      }
    }
  }
}
