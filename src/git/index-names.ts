// Reads the names in a git index file (versions 2, 3 and 4; gitformat-index(5)), and copies one without what git only remembers there and
// without some of its entries.

import { createHash } from "node:crypto";

export interface IndexName {
  /** Relative to the work tree. */
  readonly path: string;
  readonly isSubmodule: boolean;
}

const HEADER_BYTES = 12;
const EXTENSION_BYTES = 8;
const STAT_BYTES = 40;
const MODE_AT = 24;
const SUBMODULE_MODE = 0o160000;
const EXTENDED = 0x4000;
const INTENT_TO_ADD = 0x2000;
const NAME_LENGTH = 0x0fff;

/** Empty if the bytes are not an index, are truncated, or have an extension which says that the names are in another file. */
export function parseIndexNames(bytes: Buffer, idBytes: number): IndexName[] {
  const parsed = parseEntries(bytes, idBytes);
  if (parsed === null || bytes.toString("latin1", parsed.end, parsed.end + 4) === "link") return []; // a split index
  // A file with intent to add (`git add -N`) is not tracked yet.
  return parsed.entries.filter(({ isIntended }) => !isIntended);
}

/**
 * The index with its entries alone. SECURITY(T48): git also remembers there names of files that it does not track, and of conflicts that
 * are resolved. Entries that are not seen are left out, and so is what lies outside of `below`, which becomes the root. Null if git
 * could not read the index without another file.
 */
export function plainIndex(
  bytes: Buffer,
  idBytes: number,
  below: string | null,
  isSeen: (path: string) => boolean,
): Buffer | null {
  const parsed = parseEntries(bytes, idBytes);
  if (parsed === null) return null;
  const extensions: Buffer[] = [];
  const end = bytes.length - idBytes;
  for (let at = parsed.end; at < end;) {
    if (at + EXTENSION_BYTES > end) return null;
    const name = bytes.toString("latin1", at, at + 4);
    const next = at + EXTENSION_BYTES + bytes.readUInt32BE(at + 4);
    // Only git with a sparse index has entries of directories. It can do without what has a name in capitals.
    if (name === "sdir") extensions.push(bytes.subarray(at, next));
    else if (!/^[A-Z]/.test(name)) return null;
    at = next;
  }
  const prefix = below === null ? "" : `${below}/`;
  const kept = parsed.entries.filter(
    ({ path }) => path.startsWith(prefix) && path !== prefix && isSeen(path.slice(prefix.length).replace(/\/$/, "")),
  );
  const cut = Buffer.byteLength(prefix);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("DIRC");
  header.writeUInt32BE(kept.some(({ isExtended }) => isExtended) ? 3 : 2, 4);
  header.writeUInt32BE(kept.length, 8);
  const content = Buffer.concat([header, ...kept.map((entry) => encodeEntry(bytes, entry, cut)), ...extensions]);
  return Buffer.concat([
    content,
    createHash(idBytes === 32 ? "sha256" : "sha1")
      .update(content)
      .digest(),
  ]);
}

/** An entry of version 2 or 3, without the first bytes of its name. */
function encodeEntry(bytes: Buffer, { name, start, flagsAt, isExtended }: IndexEntry, cut: number): Buffer {
  const nameAt = flagsAt - start + (isExtended ? 4 : 2);
  const length = name.length - cut;
  // One to eight bytes of zero end the name.
  const entry = Buffer.alloc((nameAt + length + 8) & ~7);
  bytes.copy(entry, 0, start, start + nameAt);
  const flags = bytes.readUInt16BE(flagsAt) & ~NAME_LENGTH;
  entry.writeUInt16BE(flags | Math.min(length, NAME_LENGTH), flagsAt - start);
  name.copy(entry, nameAt, cut);
  return entry;
}

interface IndexEntry extends IndexName {
  readonly isIntended: boolean;
  readonly isExtended: boolean;
  /** The path as bytes. */
  readonly name: Buffer;
  /** Where the entry begins, and where its flags do. */
  readonly start: number;
  readonly flagsAt: number;
}

/** Null if the bytes are not an index, or are truncated. `end`: where the entries end. */
function parseEntries(bytes: Buffer, idBytes: number): { readonly entries: IndexEntry[]; readonly end: number } | null {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES;
  let previous = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + idBytes;
    if (flagsAt + 4 > bytes.length) return null;
    const isExtended = version > 2 && (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    const isIntended = isExtended && (bytes.readUInt16BE(flagsAt + 2) & INTENT_TO_ADD) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = previous.subarray(0, 0);
    if (version === 4) {
      const cut = readOffset(bytes, nameAt);
      if (cut === null || cut.value > previous.length) return null;
      kept = previous.subarray(0, previous.length - cut.value);
      nameAt = cut.next;
    }
    const end = bytes.indexOf(0, nameAt);
    if (end < 0) return null;
    const name = Buffer.concat([kept, bytes.subarray(nameAt, end)]);
    previous = name;
    const isSubmodule = bytes.readUInt32BE(at + MODE_AT) === SUBMODULE_MODE;
    entries.push({ path: name.toString("utf8"), isSubmodule, isIntended, isExtended, name, start: at, flagsAt });
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  return { entries, end: at };
}

/** A number in the encoding of pack offsets: seven bits in each byte. A longer number counts from where the shorter ones end. */
function readOffset(bytes: Buffer, start: number): { readonly value: number; readonly next: number } | null {
  let at = start;
  let byte = bytes[at];
  if (byte === undefined) return null;
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    at += 1;
    byte = bytes[at];
    if (byte === undefined || value > 1 << 20) return null;
    value = ((value + 1) << 7) | (byte & 127);
  }
  return { value, next: at + 1 };
}
