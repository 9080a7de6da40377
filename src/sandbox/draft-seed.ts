// What native/keeper copies into a new draft: the list that it reads, and the result that it prints.

import type { HelperResult } from "../process/start.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export interface SeedPlan {
  /** Files and links, by their path in the project. */
  readonly copied: Iterable<string>;
  /** Paths that programs must not see. */
  readonly hidden: Iterable<string>;
  /** Directories that also show what the project has in them. The project itself always does, and is not listed. */
  readonly merged: Iterable<string>;
}

export interface SeedResult {
  readonly count: number;
  /** Paths that were not copied: they are gone, cannot be read, or are neither file nor link. */
  readonly leftOut: readonly string[];
}

export function* seedWords({ copied, hidden, merged }: SeedPlan): Generator<string> {
  yield* inBatches(copied, "c");
  yield* inBatches(hidden, "h");
  yield* inBatches(merged, "m");
}

/** Each word ends in NUL. One write for each would take longer than copying. */
function* inBatches(paths: Iterable<string>, kind: string): Generator<string> {
  let batch = "";
  for (const path of paths) {
    batch += `${kind}${path}\0`;
    if (batch.length < 1 << 16) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}

/** The exit code of native/keeper if the files have more bytes than allowed. */
const TOO_MUCH = 77;

export function readSeedResult({ exitCode, stdout, stderr }: HelperResult): Result<SeedResult> {
  if (exitCode === TOO_MUCH)
    return fail(
      "tool_failed",
      `The files of the project are larger than ${limits.draftCopyBytes} bytes, so a draft cannot copy them.`,
      {
        hint: "Let git ignore the large ones: then they show through without a copy. Or use a worktree of the project without them.",
      },
    );
  const parts = stdout.split("\0");
  const count = Number(/^copied (\d+) \d+\n$/.exec(parts.pop() ?? "")?.[1]);
  if (exitCode !== 0 || Number.isNaN(count))
    return fail(
      "tool_failed",
      `The project could not be copied into the draft: ${stderr.trim() || "no reason given"}.`,
    );
  const leftOut = parts.map((part) => part.replace(/^skipped /, ""));
  return ok({ count, leftOut });
}
