// Turns the changes of a commit into tree requests to GitHub. Short text is sent inside them, in as few requests as possible.
// Content that is not text, or is long, is uploaded as a blob first.

import type { ObjectId } from "../../publish/object.ts";
import type { LandedFile } from "../target.ts";

export interface GithubTreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: "blob";
  readonly sha?: ObjectId | null;
  readonly content?: string;
}

export interface GithubTreeRequests {
  readonly blobs: readonly { readonly id: ObjectId; readonly content: Uint8Array }[];
  /** Each request builds on the tree of the one before. */
  readonly trees: readonly (readonly GithubTreeEntry[])[];
}

const INLINE_BYTES = 64 * 1024;
const REQUEST_BYTES = 2 * 1024 * 1024;
const REQUEST_ENTRIES = 1_000;

export function githubTreeRequests(changes: readonly LandedFile[]): GithubTreeRequests {
  const blobs = new Map<ObjectId, Uint8Array>();
  const trees: GithubTreeEntry[][] = [[]];
  let bytes = 0;
  const put = (entry: GithubTreeEntry): void => {
    const size = entry.path.length + (entry.content?.length ?? 0) + 100;
    let last = trees.at(-1) as GithubTreeEntry[];
    if (last.length > 0 && (last.length >= REQUEST_ENTRIES || bytes + size > REQUEST_BYTES)) {
      trees.push((last = []));
      bytes = 0;
    }
    last.push(entry);
    bytes += size;
  };
  // Deletions come first, because a directory may replace a file of the same name.
  for (const { path, before, after } of changes)
    if (after === null && before !== null) put({ path, mode: before.mode, type: "blob", sha: null });
  for (const { path, after } of changes) {
    if (after === null) continue;
    const { mode, id, content } = after;
    const text = content.length > INLINE_BYTES ? null : plainText(content);
    if (text === null) blobs.set(id, content);
    put({ path, mode, type: "blob", ...(text === null ? { sha: id } : { content: text }) });
  }
  return {
    blobs: [...blobs].map(([id, content]) => ({ id, content })),
    trees: trees.filter((tree) => tree.length > 0),
  };
}

/** Null if the content would change when it is sent as text. */
function plainText(content: Uint8Array): string | null {
  if (content.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
