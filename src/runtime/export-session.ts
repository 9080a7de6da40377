// What a session has changed, as a file that a person can keep or send: a patch of its files, or a bundle of its commits.

import { type FilePair, type FileSide } from "../git/publish/diff.ts";
import { blobId } from "../git/object-hash.ts";
import { patchText } from "../git/patch-text.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { DraftLook } from "./draft-look.ts";
import { nodeMachine } from "./node-machine.ts";
import type { SessionLook } from "./look-session.ts";

const SHOWN = 5;

/** What has not landed, committed inside or not, as one patch. */
export async function exportPatch(look: SessionLook, paths: readonly string[]): Promise<Result<Uint8Array>> {
  const found = await look.pairs(paths);
  if (!found.ok) return found;
  const { pairs } = found.value;
  const unread = pairs.filter(({ after }) => after?.unreadBytes !== undefined).map(({ path }) => path);
  if (unread.length > 0)
    return fail("tool_failed", `${unread.length} changed files are too large for a patch: ${few(unread)}.`, {
      hint: "Name the other files, or export a bundle.",
    });
  const withIds = (side: FileSide | null): FileSide | null =>
    side === null ? null : { ...side, id: blobId(look.format, side.content, nodeMachine.hashes) };
  return ok(
    patchText(
      pairs.map(({ path, before, after }): FilePair => ({ path, before: withIds(before), after: withIds(after) })),
    ),
  );
}

function few(paths: readonly string[]): string {
  return paths.slice(0, SHOWN).join(", ") + (paths.length > SHOWN ? ", …" : "");
}

export interface ExportedBundle {
  readonly bytes: Uint8Array;
  readonly commits: number;
}

/**
 * The commits made inside, on the person's commit. Git makes it in the draft's box. If the draft has another history than the person, that
 * comes along: their repository has nothing on which the commits could lie.
 */
export async function exportBundle(look: DraftLook): Promise<Result<ExportedBundle>> {
  const made = await look.commits();
  if (!made.ok) return made;
  const count = made.value?.count ?? 0;
  if (count === 0)
    return fail("not_found", "No commit was made in this session.", {
      hint: "A patch has what is not committed, too.",
    });
  const { record, git } = look;
  const without = record.head === null || record.parent !== undefined ? [] : [`^${record.head}`];
  const bundle = await git.read(["bundle", "create", "--quiet", "-", "HEAD", ...without], "");
  return bundle.ok ? ok({ bytes: bundle.value, commits: count }) : bundle;
}
