// One file that holds a workspace as a log of batches of changes.
// Invariant: `append` returns when the batch is stored, or throws and no batch was added. A file that was cut anywhere, or has
// something else at its end, opens with every batch up to the last whole one.

import { crc32 } from "../shared/crc32.ts";
import { piecesAt, type PackHandle, PackWriter, readAt } from "./pack-handle.ts";
import * as record from "./pack-record.ts";
import { parseWorkspacePath, type WorkspacePath } from "./path.ts";
import type { Change } from "./workspace.ts";

/** Where the last record of a path is. */
export interface StoredEntry {
  readonly kind: Exclude<record.RecordKind, "delete">;
  readonly at: number;
  readonly pathBytes: number;
  readonly contentBytes: number;
}

type Entries = Map<WorkspacePath, StoredEntry>;
type Part = Uint8Array;

export class PackFile {
  readonly handle: PackHandle;
  readonly generation: number;
  readonly entries: Entries = new Map();
  /** Of the records in `entries`. */
  #liveBytes = 0;
  #batches = 0;
  #end = record.FILE_HEADER_BYTES;

  private constructor(handle: PackHandle, generation: number) {
    this.handle = handle;
    this.generation = generation;
  }

  /** Null if the handle has no pack: it is empty, or its header was never stored whole. */
  static open(handle: PackHandle): PackFile | null {
    const generation = record.parseFileHeader(readAt(handle, 0, record.FILE_HEADER_BYTES));
    if (generation === null) return null;
    const file = new PackFile(handle, generation);
    while (file.#readBatch()) continue;
    return file;
  }

  /** An empty one in the place of whatever is there. */
  static begin(handle: PackHandle, generation: number): PackFile {
    handle.truncate(0);
    const writer = new PackWriter(handle, 0, record.FILE_HEADER_BYTES);
    writer.write(record.encodeFileHeader(generation));
    writer.flush();
    return new PackFile(handle, generation);
  }

  get liveBytes(): number {
    return this.#liveBytes;
  }

  get batches(): number {
    return this.#batches;
  }

  /** The end of the last whole batch. */
  get end(): number {
    return this.#end;
  }

  /** Throws if it cannot be stored. */
  append(changes: readonly Change[]): void {
    const parts = changes.map(record.recordParts);
    const bytes = parts.reduce((sum, each) => sum + lengthOf(each), 0);
    let at = this.#write(parts.length, bytes, parts.flat());
    for (const [index, change] of changes.entries()) {
      const [head, path, content] = parts[index] as (typeof parts)[number];
      const { kind } = record.parseRecordHead(head) as record.RecordHead;
      this.#note(change.path, { kind, at, pathBytes: path.length, contentBytes: content.length });
      at += lengthOf([head, path, content]);
    }
  }

  /** The first batch of a new file: everything that another one has. Throws if it cannot be stored. */
  copyFrom(other: PackFile): void {
    const stored = [...other.entries];
    const parts = function* (): Generator<Part> {
      for (const [, entry] of stored) yield* piecesAt(other.handle, entry.at, recordBytes(entry));
    };
    let at = this.#write(stored.length, other.liveBytes, parts());
    for (const [path, entry] of stored) {
      this.#note(path, { ...entry, at });
      at += recordBytes(entry);
    }
  }

  /** Takes away what is behind the last whole batch. It could be taken for a part of the next one. */
  dropTail(): void {
    if (this.handle.getSize() > this.#end) this.handle.truncate(this.#end);
  }

  content({ at, pathBytes, contentBytes }: StoredEntry): Uint8Array<ArrayBuffer> {
    return readAt(this.handle, at + record.RECORD_HEAD_BYTES + pathBytes, contentBytes);
  }

  /** Returns where the first record is. */
  #write(records: number, bytes: number, parts: Iterable<Part>): number {
    const header = record.encodeBatchHeader(this.generation, this.#batches, bytes, records);
    this.dropTail();
    const writer = new PackWriter(this.handle, this.#end, record.BATCH_HEADER_BYTES + bytes + record.MARK_BYTES);
    let checksum = crc32(header);
    writer.write(header);
    const first = writer.at;
    for (const part of parts) {
      checksum = crc32(part, checksum);
      writer.write(part);
    }
    writer.write(record.encodeMark(checksum));
    writer.flush();
    this.#end = writer.at;
    this.#batches += 1;
    return first;
  }

  /** False at the end, and if what follows is no whole batch. */
  #readBatch(): boolean {
    const bytes = readAt(this.handle, this.#end, record.BATCH_HEADER_BYTES);
    const header = record.parseBatchHeader(this.generation, this.#batches, bytes);
    if (header === null) return false;
    const first = this.#end + record.BATCH_HEADER_BYTES;
    const markAt = first + header.bytes;
    if (!(markAt + record.MARK_BYTES <= this.handle.getSize())) return false;
    let checksum = crc32(bytes);
    for (const piece of piecesAt(this.handle, first, header.bytes)) checksum = crc32(piece, checksum);
    const mark = readAt(this.handle, markAt, record.MARK_BYTES);
    if (!record.isSame(record.encodeMark(checksum), mark)) return false;
    const found = this.#readRecords(first, header);
    if (found === null) return false;
    for (const [path, entry] of found) this.#note(path, entry);
    this.#end = markAt + record.MARK_BYTES;
    this.#batches += 1;
    return true;
  }

  #readRecords(first: number, { records, bytes }: record.BatchHeader): [WorkspacePath, Noted][] | null {
    const found: [WorkspacePath, Noted][] = [];
    let at = first;
    for (let index = 0; index < records; index += 1) {
      const head = record.parseRecordHead(readAt(this.handle, at, record.RECORD_HEAD_BYTES));
      if (head === null) return null;
      const text = record.parseText(readAt(this.handle, at + record.RECORD_HEAD_BYTES, head.pathBytes));
      const path = text === null ? null : parseWorkspacePath(text);
      if (path?.ok !== true || path.value !== text) return null;
      found.push([path.value, { ...head, at }]);
      at += recordBytes(head);
    }
    return at === first + bytes ? found : null;
  }

  #note(path: WorkspacePath, { kind, at, pathBytes, contentBytes }: Noted): void {
    const before = this.entries.get(path);
    if (before !== undefined) this.#liveBytes -= recordBytes(before);
    if (kind === "delete") return void this.entries.delete(path);
    const entry = { kind, at, pathBytes, contentBytes };
    this.entries.set(path, entry);
    this.#liveBytes += recordBytes(entry);
  }
}

interface Noted extends record.RecordHead {
  readonly at: number;
}

function recordBytes({
  pathBytes,
  contentBytes,
}: {
  readonly pathBytes: number;
  readonly contentBytes: number;
}): number {
  return record.RECORD_HEAD_BYTES + pathBytes + contentBytes;
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
