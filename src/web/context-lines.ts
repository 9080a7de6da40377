// The unchanged lines between and around the hunks of a changed file, from the new content of the file.
// Invariant: the lines come from the verified bytes of the diff, or there are none.

import { z } from "zod";
import type { DiffFile, DiffLine } from "../action/diff-file.ts";
import { splitLines, type TextLines } from "../git/publish/line-diff.ts";
import { decodeText } from "../git/publish/text-content.ts";
import { fileOfSide } from "../runtime/pushed-bytes.ts";
import { limits } from "../shared/limits.ts";
import type { ReviewedChange } from "./change-routes.ts";

const number = z.coerce.number().int().min(1);

/** `from` and `to` count from 1; `to` is exclusive. */
export const linesQuery = z
  .strictObject({ from: number, to: number })
  .refine(({ from, to }) => to > from && to - from <= limits.contextLines, {
    path: ["to"],
    message: `must be 1 to ${limits.contextLines} lines beyond from`,
  });

/** Null if there are no such lines, or they are not kept. */
export async function linesAfter(change: ReviewedChange, file: DiffFile): Promise<TextLines | null> {
  const after = fileOfSide(file, "after");
  if (after === null || file.oldId === null || file.hunks.length === 0 || after.size > limits.contextBytes) return null;
  // Missing bytes are not a fault here: the diff is complete without them.
  const bytes = await change.bytes("after", after).catch(() => null);
  if (bytes === null) return null;
  return splitLines(decodeText(bytes, file.encoding));
}

export function contextLines({ lines, isTerminated }: TextLines, from: number, to: number): DiffLine[] {
  return lines.slice(from - 1, to - 1).map((text, at) => ({
    sign: " ",
    text,
    isUnterminated: !isTerminated && from + at === lines.length,
  }));
}
