// Compares a file on disk with the branch: by its bytes, not by its times, and without running a filter.
// Invariant: a file that cannot be read completely, or changes while it is read, counts as different.

import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, readSync, type Stats } from "node:fs";
import { withPlainFile } from "../../../process/plain-file.ts";
import type { ObjectFormat, ObjectId } from "../../publish/object.ts";
import { errorCode } from "../../../shared/error-code.ts";

export interface DiskRules {
  readonly format: ObjectFormat;
  /** core.fileMode: whether the executable bit counts here. */
  readonly hasFileMode: boolean;
  /** core.symlinks: whether links exist here. If not, git writes a link as a file that contains its target. */
  readonly hasSymlinks: boolean;
}

export interface BranchFile {
  readonly mode: string;
  readonly id: ObjectId;
}

/** `crlf`: equal, except that the disk has CRLF where the branch has LF. That counts as the same only if git converts line ends. */
export type ComparedFile =
  | { readonly is: "missing" }
  | { readonly is: "same"; readonly lineEnds: "as-is" | "crlf"; readonly permissions: number }
  | { readonly is: "different"; readonly what: string };

const CHUNK_BYTES = 1 << 20;
const CONVERTED_BYTES = 64 << 20;
const COMPARED_BYTES = 4 * 1024 ** 3; // a larger file counts as changed, because reading a huge sparse file takes forever
const NUL = 0x00;
const LF = 0x0a;
const CR = 0x0d;

const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** `fdPath` is a name in a directory that is held open. */
export function compareFile(fdPath: string, wanted: BranchFile, rules: DiskRules): ComparedFile {
  const found = lstatSync(fdPath, { throwIfNoEntry: false });
  if (found === undefined) return { is: "missing" };
  const isLink = entersAsLink(wanted.mode, rules);
  const different = (what: string): ComparedFile => ({ is: "different", what });
  if (found.isDirectory()) return different("is a directory on disk");
  if (found.isSymbolicLink()) {
    if (!isLink) return different("is a symbolic link on disk");
    const target = readlinkSync(fdPath, "buffer");
    if (blobId([target], target.length, rules) !== wanted.id) return different("leads elsewhere on disk");
    return { is: "same", lineEnds: "as-is", permissions: 0 };
  }
  if (isLink || !found.isFile()) return different("is of another kind on disk");
  if (rules.hasFileMode && wanted.mode !== "120000" && isExecutable(found) !== isExecutableMode(wanted.mode))
    return different("has its executable bit changed on disk");
  const lineEnds = compareContent(fdPath, wanted.id, rules);
  if (lineEnds === null) return different("is modified on disk");
  return { is: "same", lineEnds, permissions: found.mode & 0o777 };
}

export function entersAsLink(mode: string, { hasSymlinks }: DiskRules): boolean {
  return mode === "120000" && hasSymlinks;
}

export function isExecutableMode(mode: string): boolean {
  return mode !== "120000" && (Number.parseInt(mode, 8) & 0o100) !== 0;
}

function isExecutable({ mode }: Stats): boolean {
  return (mode & 0o100) !== 0;
}

function compareContent(fdPath: string, id: ObjectId, rules: DiskRules): "as-is" | "crlf" | null {
  try {
    return withPlainFile(fdPath, (file, found) => compareOpened(file, Number(found.size), id, rules));
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return null; // not readable, or gone
  }
}

function compareOpened(file: number, expected: number, id: ObjectId, rules: DiskRules): "as-is" | "crlf" | null {
  if (expected > COMPARED_BYTES) return null;
  const hash = createHash(rules.format).update(`blob ${expected}\0`);
  let size = 0;
  let hasPairs = false;
  for (let read = -1; read !== 0 && size < expected; size += read) {
    read = readSync(file, chunk, 0, CHUNK_BYTES, size);
    hash.update(chunk.subarray(0, read));
    hasPairs ||= chunk.subarray(0, read).includes(CR);
  }
  if (size !== expected) return null;
  if (hash.digest("hex") === id) return "as-is";
  if (!hasPairs || size > CONVERTED_BYTES) return null;
  const content = withoutPairs(readWhole(file, size));
  return content !== null && blobId([content], content.length, rules) === id ? "crlf" : null;
}

function readWhole(file: number, size: number): Buffer {
  const content = Buffer.alloc(size);
  for (let at = 0, read = -1; read !== 0 && at < size; at += read) read = readSync(file, content, at, size - at, at);
  return content;
}

/** Replaces each CRLF by LF. Null for content that git takes for binary. */
function withoutPairs(content: Uint8Array): Uint8Array | null {
  if (content.includes(NUL)) return null;
  const shorter = new Uint8Array(content.length);
  let length = 0;
  for (let at = 0; at < content.length; at += 1) {
    if (content[at] === CR && content[at + 1] === LF) continue;
    shorter[length] = content[at] as number;
    length += 1;
  }
  return shorter.subarray(0, length);
}

/** Replaces each LF by CRLF, if that can be undone. */
export function withPairs(content: Uint8Array): Uint8Array {
  if (content.includes(NUL) || content.includes(CR)) return content;
  const lines = content.reduce((count, byte) => (byte === LF ? count + 1 : count), 0);
  const longer = new Uint8Array(content.length + lines);
  let length = 0;
  for (const byte of content) {
    if (byte === LF) {
      longer[length] = CR;
      length += 1;
    }
    longer[length] = byte;
    length += 1;
  }
  return longer;
}

function blobId(parts: readonly Uint8Array[], size: number, { format }: DiskRules): ObjectId {
  const hash = createHash(format).update(`blob ${size}\0`);
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
