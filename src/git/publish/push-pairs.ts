// Pairs each file of a push with its state before, commit by commit. The diffs are made from these pairs.

import type { FilePair, FileSide } from "./diff.ts";
import type { Landing, LandedFile, TargetReading } from "../target/target.ts";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

const nothing = new Uint8Array(0);

/** The pairs of each commit, sorted by path, as in the diff. Everything that the target has to supply is read at once. */
export async function pushPairs({ steps, objects }: Landing, reading: TargetReading): Promise<Result<FilePair[][]>> {
  // A commit of a series may replace what an earlier one has made.
  const own = new Map(objects.flatMap(({ id, type, content }) => (type === "blob" ? [[id, content] as const] : [])));
  const ids = new Set(
    steps.flatMap(({ changes }) =>
      changes.flatMap(({ before }) =>
        before === null || before.mode === "160000" || own.has(before.id) ? [] : [before.id],
      ),
    ),
  );
  const sizes = (await reading.measureBlobs?.([...ids])) ?? new Map<string, number>();
  // No workspace can hold a file this large. So its size alone shows that it is not the file that was pulled.
  const unread = new Map([...sizes].filter(([, size]) => size > limits.workspaceFileBytes));
  const wanted = [...ids].filter((id) => !unread.has(id));
  const bytes = wanted.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  if (bytes > limits.workspaceTotalBytes)
    return fail(
      "tool_failed",
      `What this replaces has ${bytes} bytes in ${reading.state.address}; at most ${limits.workspaceTotalBytes} are read to show what changes.`,
      { hint: "Stage fewer of the large files in one commit." },
    );
  const contents = await reading.readBlobs(wanted);
  const sideOf = (before: NonNullable<LandedFile["before"]>): FileSide => {
    const unreadBytes = unread.get(before.id);
    const content = own.get(before.id) ?? contents.get(before.id) ?? nothing;
    return unreadBytes === undefined ? { ...before, content } : { ...before, content, unreadBytes };
  };
  return ok(
    steps.map(({ changes }) =>
      changes
        .map(({ path, before, after }) => ({ path, before: before === null ? null : sideOf(before), after }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    ),
  );
}
