// The bytes of a pack file. A file begins with a header that has its generation; then comes one batch after another, each with a header, the
// records of its changes, and a mark.
// Invariant: a batch counts only with its mark, whose checksum covers the batch, its number and the file's generation.

import { crc32 } from "../shared/crc32.ts";
import type { Change } from "./workspace.ts";

export const FILE_HEADER_BYTES = 16;
export const BATCH_HEADER_BYTES = 24;
export const MARK_BYTES = 8;
export const RECORD_HEAD_BYTES = 7;

const FILE_MAGIC = [0x73616c6c, 0x79706b31] as const; // sallypk1
const BATCH_MAGIC = 0x62746368;
const MARK_MAGIC = 0x646f6e65;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface BatchHeader {
  /** Of all records together. */
  readonly bytes: number;
  readonly records: number;
}

export type RecordKind = "file" | "executable" | "link" | "delete";
const kinds: readonly RecordKind[] = ["file", "executable", "link", "delete"];

export interface RecordHead {
  readonly kind: RecordKind;
  readonly pathBytes: number;
  /** Of the file, or of the target of the link. */
  readonly contentBytes: number;
}

export function encodeFileHeader(generation: number): Uint8Array {
  const view = viewOf(FILE_HEADER_BYTES);
  view.setUint32(0, FILE_MAGIC[0]);
  view.setUint32(4, FILE_MAGIC[1]);
  view.setUint32(8, generation);
  view.setUint32(12, crc32(bytesOf(view).subarray(0, 12)));
  return bytesOf(view);
}

/** The generation. Null if it is no header. */
export function parseFileHeader(bytes: Uint8Array): number | null {
  if (bytes.length < FILE_HEADER_BYTES) return null;
  const generation = readerOf(bytes).getUint32(8);
  return isSame(encodeFileHeader(generation), bytes) ? generation : null;
}

export function encodeBatchHeader(generation: number, number: number, bytes: number, records: number): Uint8Array {
  const view = viewOf(BATCH_HEADER_BYTES);
  view.setUint32(0, BATCH_MAGIC);
  view.setUint32(4, number);
  view.setFloat64(8, bytes);
  view.setUint32(16, records);
  view.setUint32(20, crc32(bytesOf(view).subarray(0, 20), generation));
  return bytesOf(view);
}

/** Null if it is not the header of batch `number` of its file, from 0. */
export function parseBatchHeader(generation: number, number: number, header: Uint8Array): BatchHeader | null {
  if (header.length < BATCH_HEADER_BYTES) return null;
  const view = readerOf(header);
  const [bytes, records] = [view.getFloat64(8), view.getUint32(16)];
  return isSame(encodeBatchHeader(generation, number, bytes, records), header) ? { bytes, records } : null;
}

export function encodeMark(checksum: number): Uint8Array {
  const view = viewOf(MARK_BYTES);
  view.setUint32(0, MARK_MAGIC);
  view.setUint32(4, checksum);
  return bytesOf(view);
}

function encodeRecordHead({ kind, pathBytes, contentBytes }: RecordHead): Uint8Array {
  const view = viewOf(RECORD_HEAD_BYTES);
  view.setUint8(0, kinds.indexOf(kind));
  view.setUint16(1, pathBytes);
  view.setUint32(3, contentBytes);
  return bytesOf(view);
}

export function parseRecordHead(bytes: Uint8Array): RecordHead | null {
  if (bytes.length < RECORD_HEAD_BYTES) return null;
  const view = readerOf(bytes);
  const kind = kinds[view.getUint8(0)];
  return kind === undefined ? null : { kind, pathBytes: view.getUint16(1), contentBytes: view.getUint32(3) };
}

/** A change as the parts of its record: head, path, content. */
export function recordParts(change: Change): readonly [head: Uint8Array, path: Uint8Array, content: Uint8Array] {
  const path = encoder.encode(change.path);
  const content = contentOf(change);
  return [
    encodeRecordHead({ kind: kindOf(change), pathBytes: path.length, contentBytes: content.length }),
    path,
    content,
  ];
}

/** Null if it is not UTF-8. */
export function parseText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function kindOf(change: Change): RecordKind {
  if (change.operation !== "write") return change.operation;
  return change.executable ? "executable" : "file";
}

function contentOf(change: Change): Uint8Array {
  if (change.operation === "write") return change.bytes;
  return encoder.encode(change.operation === "link" ? change.target : "");
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function viewOf(bytes: number): DataView<ArrayBuffer> {
  return new DataView(new ArrayBuffer(bytes));
}

function bytesOf(view: DataView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view.buffer);
}

function readerOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
