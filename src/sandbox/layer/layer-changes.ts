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

/** `changed file`: the host's directory had it when the call first wrote to it. `replaced directory`: nothing of the host's shows in it. */
export type LayerEntryKind = (typeof kinds)[keyof typeof kinds] | "name";

export interface LayerEntry {
  readonly kind: LayerEntryKind;
  /** Relative to the root of the layer. Made printable if the kind is `name`. */
  readonly path: string;
}

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
  const path = decodePath(word.subarray(1));
  if (kind === undefined) throw new TypeError("native/keeper wrote an unknown kind of change");
  return path === null ? { kind: "name", path: escapePath(word.subarray(1)) } : { kind, path };
}
