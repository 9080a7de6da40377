// Reads the refs of a repository on this machine from its files.
// Invariant: a name means the ref of exactly that name, or nothing. SECURITY(T30): if there is no `refs/heads/x`, git goes on to
// `refs/tags/refs/heads/x` and `refs/remotes/refs/heads/x`, and takes `anything-gABCDEF` for the commit of that id, whether a
// branch leads to it or not. So the gate asks git only for ids.

import { lstatSync, readlinkSync } from "node:fs";
import { readPlainFile } from "../../../process/plain-file.ts";
import { baseName, joinPath } from "../../../shared/path.ts";
import type { ObjectId } from "../../publish/object.ts";
import { branchRef } from "../../ref-name.ts";
import type { Repository } from "../../repository.ts";

const SMALL_BYTES = 1 << 20;
const PACKED_BYTES = 256 * 1024 * 1024;
const LF = 0x0a;
const MOST_HOPS = 5; // as git

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The id that a ref leads to, also through other refs; null if there is no ref of that name. */
export function refId(ref: string, repository: Repository, hops = MOST_HOPS): ObjectId | null {
  const text = readSmall(joinPath(repository.commonDirectory, ref))?.trimEnd();
  if (text === undefined) return packedId(ref, repository);
  if (ID.test(text)) return text;
  const next = /^ref:[ \t]*(refs\/.+)$/.exec(text)?.[1];
  return next === undefined || next.split("/").includes("..") || hops === 0 ? null : refId(next, repository, hops - 1);
}

/** The commit of the HEAD of the main work tree or bare repository; null if its branch has no commit yet. */
export function headId(repository: Repository): ObjectId | null {
  return refId("HEAD", repository);
}

function packedId(ref: string, { commonDirectory }: Repository): ObjectId | null {
  const packed = readPlainFile(joinPath(commonDirectory, "packed-refs"), PACKED_BYTES);
  const at = packed?.indexOf(` ${ref}\n`) ?? -1;
  if (packed === null || at < 0) return null;
  const id = packed.toString("latin1", packed.lastIndexOf(LF, at) + 1, at);
  return ID.test(id) ? id : null;
}

/** True for a branch that is only an alias of another. Moving it would move the other branch, or detach the alias from it. */
export function isSymbolic(branch: string, { commonDirectory }: Repository): boolean {
  const path = joinPath(commonDirectory, branchRef(branch));
  try {
    return lstatSync(path).isSymbolicLink() || readSmall(path)?.startsWith("ref:") === true;
  } catch {
    return false; // packed, or missing
  }
}

/** The text of a small plain file. An old HEAD is a link; its text is then made from the link's target. Null for anything else. */
export function readSmall(path: string): string | null {
  try {
    if (baseName(path) === "HEAD" && lstatSync(path).isSymbolicLink()) return `ref: ${readlinkSync(path)}`;
  } catch {
    return null;
  }
  return readPlainFile(path, SMALL_BYTES)?.toString("utf8") ?? null;
}
