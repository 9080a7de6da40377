// The files of a workspace that differ from what it is compared with, each with its content before and now. git_diff shows them to an
// agent; a person sees, lands and exports the same.

import type { Hashes } from "../../../shared/hash.ts";
import { limits } from "../../../shared/limits.ts";
import { ok, type Result } from "../../../shared/result.ts";
import type { WorkspacePath } from "../../../workspace/path.ts";
import type { Workspace, WorkspaceEntry } from "../../../workspace/workspace.ts";
import type { FileState } from "../../staged.ts";
import type { FilePair, FileSide } from "../diff.ts";
import type { ComparedBase } from "./compared-base.ts";
import type { WantedPaths } from "./wanted-paths.ts";
import { freeze } from "./workspace-state.ts";

export interface ChangedPairs {
  /** Sorted by path. */
  readonly pairs: readonly FilePair[];
  /** How many new files were left out because git ignores them. Null if nobody counted them. */
  readonly ignored: number | null;
}

export interface PairParts {
  readonly base: ComparedBase;
  readonly hashes: Hashes;
}

/** Of content beyond `mostBytes` in all, only the size is told. */
export async function workspacePairs(
  files: Workspace,
  { base, hashes }: PairParts,
  wanted: WantedPaths,
  mostBytes: number = limits.comparedBytes,
): Promise<Result<ChangedPairs>> {
  const found = await base.changed(files, wanted, new Map());
  if (!found.ok) return found;
  const old = await base.files(found.value.changes.map(({ path }) => path));
  if (!old.ok) return old;
  let room = mostBytes;
  const pairs: FilePair[] = [];
  for (const { path } of found.value.changes) {
    const entry = await files.entry(path);
    const after = entry === undefined ? null : await sideNow(path, entry, files, hashes, room);
    room -= after?.content.length ?? 0;
    const was = old.value.get(path);
    pairs.push({ path, before: was === undefined ? null : sideWith(was.state, was.bytes()), after });
  }
  return ok({ pairs, ignored: found.value.ignored });
}

async function sideNow(
  path: WorkspacePath,
  entry: WorkspaceEntry,
  files: Workspace,
  hashes: Hashes,
  room: number,
): Promise<FileSide | null> {
  const now = entry.size > room ? null : await freeze(path, entry, files, hashes);
  if (now !== null) return sideWith(now.state, now.bytes);
  // Either it is gone by now, or it is too large to be read. A file that is there must not count as deleted.
  const again = await files.entry(path);
  if (again === undefined) return null;
  const mode = again.executable ? "100755" : "100644";
  const id = hashes.hex("sha256", `unread ${path} ${again.size}`);
  return { mode, id, content: new Uint8Array(0), unreadBytes: again.size };
}

/** Uses the content hash as the id, because only content is compared. */
export function sideWith({ mode, contentHash }: FileState, content: Uint8Array): FileSide {
  return { mode, id: contentHash, content };
}
