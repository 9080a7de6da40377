// Turns the commits of a draft into what is staged: states of files, and the bytes that the store keeps.

import type { Hashes } from "../../shared/hash.ts";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { ObjectId } from "../publish/object.ts";
import type { SeriesToStage } from "../publish/push/compared-base.ts";
import { contentHash, type FileState, type StagedFile } from "../staged.ts";
import type { FirstCommit, NamedBlob } from "./first-commit.ts";
import type { MadeFile, MadeSeries } from "./session-series.ts";

/** `reader` reads blobs of the draft, and checks their ids. */
export async function seriesToStage(
  { commits, net }: MadeSeries,
  reader: FirstCommit,
  hashes: Hashes,
): Promise<Result<SeriesToStage>> {
  const all = [...net, ...commits.flatMap(({ files }) => files)];
  const ids = new Set(all.flatMap(({ before, after }) => [before, after].flatMap((blob) => blob?.id ?? [])));
  const read = await reader.read(ids);
  if (!read.ok) return read;
  const states = new Map<ObjectId, { readonly contentHash: string; readonly size: number }>();
  for (const [id, bytes] of read.value) {
    if (bytes.length > limits.workspaceFileBytes)
      return fail("invalid_args", `commits: a file of theirs has ${bytes.length} bytes.`, {
        hint: `A file that lands has at most ${limits.workspaceFileBytes}.`,
      });
    states.set(id, { contentHash: contentHash(hashes, bytes), size: bytes.length });
  }
  const stateOf = (blob: NamedBlob | null): FileState | null => {
    const state = blob === null ? undefined : states.get(blob.id);
    return blob === null || state === undefined ? null : { ...state, mode: blob.mode };
  };
  const staged = (files: readonly MadeFile[]) =>
    files.map(({ path, before, after }): StagedFile => ({
      path,
      operation: after === null ? "delete" : before === null ? "create" : "update",
      after: stateOf(after),
      before: stateOf(before),
    }));
  const contents = [...read.value].map(([id, bytes]) => ({ hash: states.get(id)?.contentHash ?? "", bytes }));
  return ok({
    steps: commits.map(({ files, ...commit }) => ({ ...commit, files: staged(files) })),
    files: staged(net),
    contents: [...new Map(contents.map((content) => [content.hash, content])).values()],
  });
}
