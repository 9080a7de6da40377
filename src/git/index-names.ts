// Reads the names in a git index file (versions 2, 3 and 4; gitformat-index(5)) and nothing else of it.

export interface IndexName {
  /** Relative to the work tree. */
  readonly path: string;
  readonly isSubmodule: boolean;
}

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const MODE_AT = 24;
const SUBMODULE_MODE = 0o160000;
const EXTENDED = 0x4000;
const INTENT_TO_ADD = 0x2000;

/** Empty if the bytes are not an index, are truncated, or have an extension which says that the names are in another file. */
export function parseIndexNames(bytes: Buffer, idBytes: number): IndexName[] {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return [];
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return [];
  const names: IndexName[] = [];
  let at = HEADER_BYTES;
  let previous = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + idBytes;
    if (flagsAt + 4 > bytes.length) return [];
    const isExtended = version > 2 && (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    const isIntended = isExtended && (bytes.readUInt16BE(flagsAt + 2) & INTENT_TO_ADD) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = previous.subarray(0, 0);
    if (version === 4) {
      const cut = readOffset(bytes, nameAt);
      if (cut === null || cut.value > previous.length) return [];
      kept = previous.subarray(0, previous.length - cut.value);
      nameAt = cut.next;
    }
    const end = bytes.indexOf(0, nameAt);
    if (end < 0) return [];
    const name = Buffer.concat([kept, bytes.subarray(nameAt, end)]);
    previous = name;
    // A file with intent to add (`git add -N`) is not tracked yet.
    if (!isIntended)
      names.push({ path: name.toString("utf8"), isSubmodule: bytes.readUInt32BE(at + MODE_AT) === SUBMODULE_MODE });
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  return bytes.toString("latin1", at, at + 4) === "link" ? [] : names; // a split index
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
