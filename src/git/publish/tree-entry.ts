// Reads and writes tree objects: entries in git's order, with their names as bytes. An entry that the gate did not change is
// written as it was read, whatever its name or mode.

import { toHex } from "../../shared/bytes.ts";
import { idBytes, isObjectId, type ObjectFormat, type ObjectId, writeId } from "./object.ts";

export interface TreeEntry {
  /** As git writes it: 40000 100644 100755 120000 160000, or another mode in an old tree. Leading zeros do not count. */
  readonly mode: string;
  readonly name: Uint8Array;
  readonly id: ObjectId;
}

const AT_ONCE = 4_096;

export type EntryKind = "directory" | "file" | "symlink" | "submodule";

const kinds: Readonly<Record<string, EntryKind>> = { "4": "directory", "12": "symlink", "16": "submodule" };

export function entryKind(mode: string): EntryKind {
  return kinds[mode.replace(/^0+/, "").slice(0, -4)] ?? "file";
}

/** One character for each byte, so that texts compare and sort exactly as the bytes do. */
export function byteText(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    const some = at === 0 && bytes.length <= AT_ONCE ? bytes : bytes.subarray(at, at + AT_ONCE);
    // Not a spread, because a spread iterates over the bytes one by one.
    text += String.fromCharCode.apply(null, some as unknown as number[]);
  }
  return text;
}

/** Null if the bytes are not a tree of this format. */
export function parseTree(content: Uint8Array, format: ObjectFormat): TreeEntry[] | null {
  const length = idBytes(format);
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, at);
    const end = nul + 1 + length;
    if (space < at || nul < space + 2 || end > content.length) return null;
    const mode = byteText(content.subarray(at, space));
    if (!/^[0-7]{5,7}$/.test(mode)) return null;
    entries.push({ mode, name: content.subarray(space + 1, nul), id: toHex(content.subarray(nul + 1, end)) });
    at = end;
  }
  return entries;
}

/** The bytes of a tree. The entries may be in any order. Throws for an id of another format. */
export function encodeTree(entries: readonly TreeEntry[], format: ObjectFormat): Uint8Array<ArrayBuffer> {
  const sorted = entries.map((entry) => ({ entry, mode: entry.mode.replace(/^0+/, ""), key: orderKey(entry) }));
  sorted.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  const size = sorted.reduce((sum, { entry, mode }) => sum + mode.length + entry.name.length + 2, 0);
  const content = new Uint8Array(size + sorted.length * idBytes(format));
  let at = 0;
  for (const { entry, mode } of sorted) {
    if (!isObjectId(entry.id, format)) throw new TypeError(`${JSON.stringify(entry.id)} is no ${format} id`);
    for (let index = 0; index < mode.length; index += 1) content[at + index] = mode.charCodeAt(index);
    at += mode.length;
    content[at] = 0x20;
    content.set(entry.name, at + 1);
    at = writeId(entry.id, content, at + entry.name.length + 2);
  }
  return content;
}

// Git sorts a directory as if its name ended in a slash: `a.b` sorts before the directory `a`, and `a0` after it.
function orderKey(entry: TreeEntry): string {
  const name = byteText(entry.name);
  return entryKind(entry.mode) === "directory" ? `${name}/` : name;
}
