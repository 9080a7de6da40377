// Parses a header of a tar, and the records of a pax header.

import { byteText } from "../../publish/tree-entry.ts";

/** `other`: a directory, a device, or anything else without content that counts. */
type TarKind = "file" | "link" | "pax" | "global" | "long-name" | "long-link" | "other";

export interface TarHeader {
  readonly kind: TarKind;
  /** Of the content that follows. */
  readonly size: number;
  readonly linkName: Uint8Array;
}

/** What a pax header can say about the content of the entry after it. */
export interface PaxRecords {
  readonly size?: number;
  readonly linkpath?: Uint8Array;
}

const kinds: Readonly<Record<string, TarKind>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "2": "link",
  x: "pax",
  g: "global",
  L: "long-name",
  K: "long-link",
};
const checksumField = { from: 148, to: 156 };

/** Null at the end, and for what is no header. */
export function parseTarHeader(block: Uint8Array): TarHeader | null {
  const written = parseNumber(block.subarray(checksumField.from, checksumField.to));
  const size = parseNumber(block.subarray(124, 136));
  if (written === null || size === null || written !== checksumOf(block)) return null;
  const kind = kinds[String.fromCharCode(block[156] ?? 0)] ?? "other";
  const field = block.subarray(157, 257);
  const end = field.indexOf(0);
  return { kind, size, linkName: end < 0 ? field : field.subarray(0, end) };
}

function checksumOf(block: Uint8Array): number {
  let sum = 0;
  for (const [at, byte] of block.entries()) sum += at >= checksumField.from && at < checksumField.to ? 0x20 : byte;
  return sum;
}

/** In octal digits, or in binary if the first bit is set. Null if it is neither. */
function parseNumber(field: Uint8Array): number | null {
  if (((field[0] ?? 0) & 0x80) === 0) {
    const digits = /^ *([0-7]+)[ \0]*$/.exec(byteText(field))?.[1];
    return digits === undefined ? null : parseInt(digits, 8);
  }
  const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] ?? 0) & 0x7f);
  return Number.isSafeInteger(value) ? value : null;
}

/** Null if a record is broken. */
export function readPaxRecords(content: Uint8Array): PaxRecords | null {
  let records: PaxRecords = {};
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const length = space < 0 || space - at > 10 ? NaN : Number(byteText(content.subarray(at, space)));
    const end = at + length;
    if (!Number.isInteger(length) || space >= end - 1 || end > content.length || content[end - 1] !== 0x0a) return null;
    const equals = content.indexOf(0x3d, space);
    if (equals < 0 || equals >= end) return null;
    const key = byteText(content.subarray(space + 1, equals));
    const value = content.subarray(equals + 1, end - 1);
    if (key === "linkpath") records = { ...records, linkpath: value };
    if (key === "size") {
      const size = /^\d{1,16}$/.test(byteText(value)) ? Number(byteText(value)) : NaN;
      if (!Number.isSafeInteger(size)) return null;
      records = { ...records, size };
    }
    at = end;
  }
  return records;
}
