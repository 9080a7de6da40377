// What native/keeper copies into a new draft: the list that it reads, and the result that it prints.

import type { HelperResult } from "../process/start.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export interface SeedPlan {
  /** Files and links, by their path in the project. */
  readonly copied: Iterable<string>;
  /** Paths that programs must not see. */
  readonly hidden: Iterable<string>;
  /** Directories that also show what the project has in them. The project itself always does, and is not listed. */
  readonly merged: Iterable<string>;
  /** What git ignores, so that it does not count as new later. */
  readonly ignored: Iterable<string>;
}

export interface SeedResult {
  readonly count: number;
  readonly bytes: number;
  /** Paths that were not copied: they are gone, too large, cannot be read, or are neither file nor link. */
  readonly leftOut: readonly string[];
}

export function* seedWords({ copied, hidden, merged, ignored }: SeedPlan): Generator<string> {
  yield* inBatches(copied, "c");
  yield* inBatches(merged, "m");
  // SECURITY(T48): what is hidden comes after the directories that show through, because only there it needs a mark.
  yield* inBatches(hidden, "h");
  yield* inBatches(ignored, "i");
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

export function readSeedResult({ exitCode, stdout, stderr }: HelperResult): Result<SeedResult> {
  const parts = stdout.split("\0");
  const [count, bytes] = (/^copied (\d+) (\d+)\n$/.exec(parts.pop() ?? "") ?? []).slice(1).map(Number);
  if (exitCode !== 0 || count === undefined || bytes === undefined)
    return fail(
      "tool_failed",
      `The project could not be copied into the draft: ${stderr.trim() || "no reason given"}.`,
    );
  const leftOut = parts.map((part) => part.replace(/^skipped /, ""));
  return ok({ count, bytes, leftOut });
}
