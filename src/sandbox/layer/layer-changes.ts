// What a call changed in one layer, as native/keeper-layer.h lists it.
// Invariant: the list is bounded, and a list that was cut off counts as none.

import { readPlainFile } from "../../process/plain-file.ts";
import { limits } from "../../shared/limits.ts";
import { decodePath, escapePath } from "../tree-path.ts";

const kinds = {
  f: "file",
  F: "changed file",
  x: "file with attributes",
  l: "link",
  d: "directory",
  o: "replaced directory",
  g: "gone",
  s: "special",
  t: "depth",
} as const;

/** `changed file`: the host's directory had it when the call first wrote to it, by this or another name. `replaced directory`: nothing of the host's shows in it. */
export type LayerEntryKind = (typeof kinds)[keyof typeof kinds] | "name";

interface EntryAt {
  /** Relative to the root of the layer. Made printable if the kind is `name`. */
  readonly path: string;
}

export interface ChangedFileEntry extends EntryAt {
  readonly kind: "changed file";
  /** Of the host's file that it is a copy of. Another one if that file is gone or has several names; 0 if nobody can tell. */
  readonly inode: bigint;
}

export type LayerEntry = ChangedFileEntry | (EntryAt & { readonly kind: Exclude<LayerEntryKind, "changed file"> });

/** Parents come before what is in them. `cut`: the list has no end, because the call was killed. `many`: there is more than may land. */
export function readLayerChanges(file: string): readonly LayerEntry[] | "cut" | "many" {
  const bytes = readPlainFile(file, limits.landingListBytes);
  if (bytes === null || bytes.at(-1) !== 0) return bytes === null ? "many" : "cut";
  const words: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    words.push(bytes.subarray(at, end));
    at = end + 1;
  }
  const last = words.pop()?.toString("latin1");
  if (last === "m") return "many";
  return last === "e" ? words.map(entryOf) : "cut";
}

function entryOf(word: Buffer): LayerEntry {
  const kind = kinds[String.fromCharCode(word[0] ?? 0) as keyof typeof kinds];
  if (kind === undefined) throw new TypeError("native/keeper wrote an unknown kind of change");
  const slash = kind === "changed file" ? word.indexOf("/") : 0;
  const bytes = word.subarray(slash + 1);
  const path = decodePath(bytes);
  if (path === null) return { kind: "name", path: escapePath(bytes) };
  return kind === "changed file" ? { kind, path, inode: BigInt(word.toString("latin1", 1, slash)) } : { kind, path };
}
