// What GitHub tells about a commit in one answer: all of its trees, with the sizes of its files. From that follow the size of its
// archive, and whether it is worth its bytes.
// Invariant: a tree counts only under the id that its own entries give.

import { utf8Length } from "../../../shared/bytes.ts";
import { limits } from "../../../shared/limits.ts";
import { makeObject, type ObjectHash, type ObjectId } from "../../publish/object.ts";
import { encodeTree, entryKind, type TreeEntry } from "../../publish/tree-entry.ts";
import { shaOf } from "./github-answer.ts";

export interface GithubListing {
  readonly trees: ReadonlyMap<ObjectId, readonly TreeEntry[]>;
  /** With the sizes that GitHub claims, each path once. */
  readonly files: readonly { readonly id: ObjectId; readonly size: number }[];
  /** The most that the archive of such a commit can have, unpacked. Infinity if the listing is not whole. */
  readonly archiveBytes: number;
}

/** Fewer come one by one. So many took less than half as long by archive, with no network between: `npm run bench -- --only browser`. */
const ARCHIVE_FILES = 16;
/** What the archive may have for each file that is wanted: about what a line brings while it waits for the answer to one request. */
const BYTES_PER_FILE = 256 * 1024;
const TAR_BLOCK = 512;
/** Header, pax header with the prefix of all names, and both paddings of an entry, without its own name. */
const ENTRY_BYTES = 5 * TAR_BLOCK;
/** What `export-subst` may add, in all, and the first and last blocks. */
const MORE_BYTES = 1024 * 1024;
const encoder = new TextEncoder();

export const emptyListing: GithubListing = { trees: new Map(), files: [], archiveBytes: Infinity };

interface NamedEntry {
  /** Of the directory that it is in; "" for the root. */
  readonly directory: string;
  readonly path: string;
  readonly entry: TreeEntry;
}

/** The entries of GitHub's answer, whose sizes are put into `sizes`. Throws for what is none. */
export function treeEntries(tree: readonly unknown[], sizes: Map<ObjectId, number>): NamedEntry[] {
  return tree.map((each: unknown) => {
    const { path, mode, size } = each as Record<string, unknown>;
    if (typeof path !== "string" || typeof mode !== "string") throw new Error("GitHub answered with no tree");
    const id = shaOf(each);
    if (typeof size === "number" && Number.isSafeInteger(size) && size >= 0) sizes.set(id, size);
    const cut = path.lastIndexOf("/");
    const name = encoder.encode(path.slice(cut + 1));
    return { directory: path.slice(0, Math.max(0, cut)), path, entry: { mode: mode.replace(/^0+/, ""), name, id } };
  });
}

export async function listingOf(
  { tree, truncated }: Readonly<Record<string, unknown>>,
  root: ObjectId,
  hash: ObjectHash,
  sizes: Map<ObjectId, number>,
): Promise<GithubListing> {
  if (!Array.isArray(tree)) return emptyListing;
  const named = treeEntries(tree, sizes);
  const trees = new Map<ObjectId, readonly TreeEntry[]>();
  for (const group of Map.groupBy(named, ({ directory }) => directory).values()) {
    const entries = group.map(({ entry }) => entry);
    // A directory of which something is missing has another id, which nobody asks for.
    trees.set((await makeObject(hash, "tree", encodeTree(entries, "sha1"))).id, entries);
  }
  const kindOf = ({ entry }: NamedEntry) => entryKind(entry.mode);
  const blobs = named.filter((one) => kindOf(one) === "file" || kindOf(one) === "symlink");
  const files = blobs.flatMap(({ entry: { id } }) => ({ id, size: sizes.get(id) ?? Infinity }));
  const isWhole =
    truncated !== true &&
    [root, ...named.flatMap((one) => (kindOf(one) === "directory" ? [one.entry.id] : []))].every((id) => trees.has(id));
  if (!isWhole) return { trees, files, archiveBytes: Infinity };
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const names = named.reduce((sum, { path }) => sum + ENTRY_BYTES + 2 * utf8Length(path), 0);
  return { trees, files, archiveBytes: bytes + names + MORE_BYTES };
}

/** Whether so many files are better read from the archive. Without a listing: whether they could be. */
export function isArchiveWorthwhile(count: number, listing?: GithubListing): boolean {
  if (count < ARCHIVE_FILES) return false;
  if (listing === undefined) return true;
  // More than a workspace can hold, and what surrounds it, comes one by one.
  const mostBytes = Math.min(2 * limits.workspaceTotalBytes, count * BYTES_PER_FILE + MORE_BYTES);
  return listing.archiveBytes <= mostBytes;
}
