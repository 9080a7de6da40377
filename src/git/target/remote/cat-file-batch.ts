// Parses the output of `git cat-file --batch`: one object after another. Missing objects are left out.

import type { ObjectId } from "../../publish/object.ts";

/** Throws if the output is cut off. */
export function parseBatch(stdout: Uint8Array): Map<ObjectId, Uint8Array> {
  const found = new Map<ObjectId, Uint8Array>();
  let at = 0;
  while (at < stdout.length) {
    const end = stdout.indexOf(0x0a, at);
    const header = new TextDecoder().decode(stdout.subarray(at, end < 0 ? stdout.length : end));
    const [id = "", , size] = header.split(" ");
    at = end + 1;
    if (end < 0) throw new Error("git cat-file was cut off");
    if (size === undefined) continue; // "<id> missing"
    const stop = at + Number(size);
    if (!(stop < stdout.length)) throw new Error("git cat-file was cut off");
    found.set(id, stdout.subarray(at, stop));
    at = stop + 1;
  }
  return found;
}
