// Finds the bytes of a file of a push that a person is asked about. They are exactly what would land, or there are none.

import type { DiffFile } from "../action/diff-file.ts";
import { blobId } from "../git/object-hash.ts";
import { type FileState, filesOfSteps, type StagedStore } from "../git/staged.ts";
import type { SessionId } from "../shared/session-id.ts";

export const sides = ["before", "after"] as const;

export type Side = (typeof sides)[number];

export interface FileOfSide {
  readonly path: string;
  readonly id: string;
  readonly size: number;
}

/** Null if there is no file on this side. */
export function fileOfSide(file: DiffFile, side: Side): FileOfSide | null {
  const [path, id, size] =
    side === "before" ? [file.oldPath, file.oldId, file.oldBytes] : [file.path, file.newId, file.newBytes];
  return id === null ? null : { path, id, size };
}

/** Bytes that the session has staged or pulled at that path, if their git object id matches. */
export function bytesOfPush(
  session: SessionId,
  side: Side,
  { path, id, size }: FileOfSide,
  staged: StagedStore,
): Uint8Array | null {
  const files = staged
    .list(session)
    .flatMap((commit) => [...commit.files, ...filesOfSteps(commit)])
    .filter((file) => file.path === path);
  const states: (FileState | null | undefined)[] = files.flatMap(({ before, after }) => [after, before]);
  if (side === "before") states.push(staged.pulled(session).get(path));
  const hashes = states.flatMap((state) => (state?.size === size ? [state.contentHash] : []));
  for (const hash of new Set(hashes)) {
    const bytes = staged.content(hash, session);
    // SECURITY(T29): the bytes shown are exactly the bytes that would land.
    if (blobId(id.length === 64 ? "sha256" : "sha1", bytes, staged.hashes) === id) return bytes;
  }
  return null;
}
