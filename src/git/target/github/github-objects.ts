// Reads the trees and files of a repository at GitHub. A few are asked for one by one; for many there are two requests: the whole
// tree of the commit, and its archive.
// Invariant: every tree and every file is known by the id that the gate computed from its bytes. What an archive leaves out, changes
// (`export-ignore`, `export-subst`, line ends) or lies about is read one by one.

import { parseBase64 } from "../../../shared/bytes.ts";
import { ok } from "../../../shared/result.ts";
import { makeObject, type ObjectHash, type ObjectId, objectId, objectIds } from "../../publish/object.ts";
import { encodeTree, type TreeEntry } from "../../publish/tree-entry.ts";
import { type Progress, TargetReadFailure } from "../target.ts";
import { inTurns } from "./github-answer.ts";
import type { GithubApi } from "./github-api.ts";
import { emptyListing, type GithubListing, isArchiveWorthwhile, listingOf, treeEntries } from "./github-listing.ts";
import { tarContents } from "./tar-contents.ts";

export interface GithubObjectsContext {
  /** `/repos/owner/name` */
  readonly path: string;
  readonly api: GithubApi;
  readonly hash: ObjectHash;
  /** The commit that is read. Null if the repository is empty. */
  readonly base: { readonly commit: ObjectId; readonly tree: ObjectId } | null;
}

/** Files that are hashed at once. */
const BATCH_FILES = 256;
const BATCH_BYTES = 1024 * 1024;

/** Between two messages about how far an archive is. */
const PROGRESS_BYTES = 256 * 1024;

/** What these messages count. */
export const archiveProgress = "bytes of the archive read";

/** Trees that are read one by one before the whole listing is. A push reads only those above its files. */
const SINGLE_TREES = 8;

export class GithubObjects {
  readonly #context: GithubObjectsContext;
  readonly #trees = new Map<ObjectId, Promise<readonly TreeEntry[]>>();
  readonly #sizes = new Map<ObjectId, number>();
  #listing: Promise<GithubListing> | null = null;

  constructor(context: GithubObjectsContext) {
    this.#context = context;
  }

  readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    const known = this.#trees.get(id) ?? this.#readTree(id);
    this.#trees.set(id, known);
    return known;
  }

  /** As GitHub told them beside the trees. No request is made. */
  async measureBlobs(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, number>> {
    return new Map(
      ids.flatMap((id) => {
        const size = this.#sizes.get(id);
        return size === undefined ? [] : [[id, size] as const];
      }),
    );
  }

  async readBlobs(ids: readonly ObjectId[], progress?: Progress): Promise<ReadonlyMap<ObjectId, Uint8Array>> {
    const wanted = new Set(ids);
    const found = await this.#readArchive(wanted, progress);
    const missing = [...wanted].filter((id) => !found.has(id));
    await inTurns(missing, async (id) => {
      found.set(id, await this.#readBlob(id));
      return ok(undefined);
    });
    return found;
  }

  async #readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    await Promise.resolve(); // the caller asks for all directories of one depth at once
    if (this.#trees.size > SINGLE_TREES) {
      const listed = (await this.#list()).trees.get(id);
      if (listed !== undefined) return listed;
    }
    const { tree, truncated } = await this.#get(`/git/trees/${id}`);
    if (!Array.isArray(tree) || truncated === true) throw new Error(`GitHub does not give the tree ${id} whole`);
    const entries = treeEntries(tree, this.#sizes).map(({ entry }) => entry);
    const { id: own } = await makeObject(this.#context.hash, "tree", encodeTree(entries, "sha1"));
    // The API mangles a name that is not text. A commit built on such a tree would rename a file.
    if (own !== id) throw new Error(`the tree ${id} has names that GitHub's API cannot say`);
    return entries;
  }

  #list(): Promise<GithubListing> {
    return (this.#listing ??= this.#readListing());
  }

  async #readListing(): Promise<GithubListing> {
    const { base, api, path, hash } = this.#context;
    if (base === null) return emptyListing;
    const found = await api.request("GET", `${path}/git/trees/${base.tree}?recursive=1`);
    if (!found.ok) throw new TargetReadFailure(found.failure);
    const { status, body } = found.value;
    // Without it, trees and files are read one by one.
    return status === 200 ? await listingOf(body, base.tree, hash, this.#sizes) : emptyListing;
  }

  /** Those of the files that the archive has as they are. */
  async #readArchive(
    wanted: ReadonlySet<ObjectId>,
    progress: Progress = () => undefined,
  ): Promise<Map<ObjectId, Uint8Array>> {
    const { base, api, path, hash } = this.#context;
    const found = new Map<ObjectId, Uint8Array>();
    if (base === null || !isArchiveWorthwhile(wanted.size)) return found;
    const listing = await this.#list();
    const sizes = new Set(listing.files.flatMap(({ id, size }) => (wanted.has(id) ? [size] : [])));
    if (!isArchiveWorthwhile(wanted.size, listing)) return found;
    const limits = { mostBytes: listing.archiveBytes, isWanted: (size: number) => sizes.has(size) };
    // No archive is no failure: the files are read one by one, and that says what is wrong.
    await api.readArchive(`${path}/tarball/${base.commit}`, async (pieces) => {
      for await (const contents of inBatches(tarContents(counted(pieces, progress), limits))) {
        // SECURITY(T85): only the id says which file these bytes are. Names and links of an archive have no say.
        for (const [index, id] of (await objectIds(hash, "blob", contents)).entries())
          if (wanted.has(id)) found.set(id, contents[index] as Uint8Array);
        if (found.size === wanted.size) return;
      }
    });
    return found;
  }

  async #readBlob(id: ObjectId): Promise<Uint8Array> {
    const { content, encoding } = await this.#get(`/git/blobs/${id}`);
    if (typeof content !== "string") throw new Error(`GitHub does not give the file ${id}`);
    const bytes = encoding === "base64" ? parseBase64(content) : new TextEncoder().encode(content);
    if (bytes === null || (await objectId(this.#context.hash, "blob", bytes)) !== id)
      throw new Error(`GitHub gives another file for ${id}`);
    return bytes;
  }

  async #get(path: string): Promise<Readonly<Record<string, unknown>>> {
    const found = await this.#context.api.request("GET", `${this.#context.path}${path}`);
    if (!found.ok) throw new TargetReadFailure(found.failure);
    if (found.value.status !== 200) throw new Error(`GitHub answered ${found.value.status} to ${path}`);
    return found.value.body;
  }
}

/** The pieces, and how many bytes of them have come: unpacked, because how many there will be is not known either way. */
async function* counted(pieces: AsyncIterable<Uint8Array>, progress: Progress): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let said = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes - said >= PROGRESS_BYTES) progress((said = bytes), null, archiveProgress);
    yield piece;
  }
}

async function* inBatches(contents: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const content of contents) {
    batch.push(content);
    bytes += content.length;
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
