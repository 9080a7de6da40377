// Git's objects as bytes, and their ids: blobs, trees and commits of sha1 and sha256 repositories. The caller passes the hash
// function, because the browser has another one than node.

import { toHex } from "../../shared/bytes.ts";

export type ObjectFormat = "sha1" | "sha256";
export type ObjectType = "blob" | "tree" | "commit";

/** A full object id in lower-case hexadecimal: 40 digits, or 64 in a sha256 repository. */
export type ObjectId = string;

/** One object with its id. `content` excludes git's header. */
export interface GitObject {
  readonly id: ObjectId;
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

export interface ObjectHash {
  readonly format: ObjectFormat;
  /** The digest of all parts, one after another. */
  digest(parts: readonly Uint8Array[]): Uint8Array | Promise<Uint8Array>;
  /** Computes the id of a small object synchronously. Undefined if that is not possible for this object. */
  quickId?(type: ObjectType, content: Uint8Array): ObjectId | undefined;
  /** Computes the ids of many objects at once. */
  idOfEach?(type: ObjectType, contents: readonly Uint8Array[]): Promise<readonly ObjectId[]>;
}

const digits: Readonly<Record<ObjectFormat, number>> = { sha1: 40, sha256: 64 };
const encoder = new TextEncoder();

/** Makes an object with the id that git would give it, as in `makeObject(hash, "blob", bytes)`. */
export async function makeObject(hash: ObjectHash, type: ObjectType, content: Uint8Array): Promise<GitObject> {
  return { id: await objectId(hash, type, content), type, content };
}

export async function objectId(hash: ObjectHash, type: ObjectType, content: Uint8Array): Promise<ObjectId> {
  const quick = hash.quickId?.(type, content);
  if (quick !== undefined) return quick;
  return toHex(await hash.digest([objectHeader(type, content.length), content]));
}

export async function objectIds(
  hash: ObjectHash,
  type: ObjectType,
  contents: readonly Uint8Array[],
): Promise<readonly ObjectId[]> {
  return (await hash.idOfEach?.(type, contents)) ?? Promise.all(contents.map((one) => objectId(hash, type, one)));
}

/** The header that git hashes before an object's content. */
export function objectHeader(type: ObjectType, size: number): Uint8Array {
  return encoder.encode(`${type} ${size}\0`);
}

/** The id of all zeros, which git uses for "there is no such object". */
export function zeroId(format: ObjectFormat): ObjectId {
  return "0".repeat(digits[format]);
}

export function isObjectId(text: string, format: ObjectFormat): boolean {
  return text.length === digits[format] && /^[0-9a-f]+$/.test(text);
}

export function idBytes(format: ObjectFormat): number {
  return digits[format] / 2;
}

/** Writes the bytes of an id at an offset, and returns the offset after them. */
export function writeId(id: ObjectId, into: Uint8Array, at: number): number {
  for (let digit = 0; digit < id.length; digit += 2) {
    into[at + digit / 2] = (valueOfDigit(id.charCodeAt(digit)) << 4) | valueOfDigit(id.charCodeAt(digit + 1));
  }
  return at + id.length / 2;
}

function valueOfDigit(code: number): number {
  return code <= 0x39 ? code - 0x30 : code - 0x57;
}
