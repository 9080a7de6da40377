// Compares what a run left in /workspace with the files that it was given.

import type { BoxChange, BoxEnd, BoxFile } from "../../src/process/wasm-box.ts";

interface LeftFile {
  readonly kind: "file";
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
}

/** What a run left at a path. */
export type LeftEntry =
  | LeftFile
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "other"; readonly path: string };

const none = new Uint8Array();

export async function changesOf(
  given: readonly BoxFile[],
  left: Iterable<LeftEntry> | AsyncIterable<LeftEntry>,
  changedBytes: number,
): Promise<Pick<BoxEnd, "changes" | "notKept">> {
  const before = new Map(given.map((file) => [file.path, file]));
  const directories = directoriesOf(before.keys());
  const changes: BoxChange[] = [];
  const notKept: { path: string; reason: string }[] = [];
  let bytesLeft = changedBytes;
  for await (const entry of left) {
    const { kind, path } = entry;
    const old = before.get(path);
    if (kind === "directory") {
      if (!directories.has(path)) changes.push({ kind, path });
      continue; // a file that was there is gone
    }
    before.delete(path);
    if (kind === "other") notKept.push({ path, reason: "neither a file nor a link" });
    else if (kind === "link") {
      const { target } = entry;
      if (old?.target !== target) changes.push({ kind: "file", path, executable: false, target, bytes: none });
    } else if (!isSame(old, entry)) {
      const { executable, bytes } = entry;
      if (bytes.length > bytesLeft) {
        notKept.push({ path, reason: `a run may change ${changedBytes} bytes of files, and this one did not fit` });
        continue;
      }
      bytesLeft -= bytes.length;
      changes.push({ kind, path, executable, target: null, bytes });
    }
  }
  for (const path of before.keys()) changes.push({ kind: "removed", path });
  return { changes, notKept };
}

/** The directories above the paths. */
function directoriesOf(paths: Iterable<string>): ReadonlySet<string> {
  const directories = new Set<string>();
  for (const path of paths)
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const directory = path.slice(0, at);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  return directories;
}

function isSame(old: BoxFile | undefined, left: LeftFile): boolean {
  if (old === undefined || old.target !== null) return false;
  if (old.executable !== left.executable || old.bytes.length !== left.bytes.length) return false;
  // Every file of the workspace is compared after every run, so without a call for each byte.
  for (let at = 0; at < left.bytes.length; at += 1) if (old.bytes[at] !== left.bytes[at]) return false;
  return true;
}
