// The unchanged lines between the hunks of a changed file and around them, from what the file becomes.
// Invariant: they are the verified bytes of the diff, or there are none.

import { z } from "zod";
import type { DiffFile, DiffLine } from "../action/diff-file.ts";
import { splitLines, type TextLines } from "../git/publish/line-diff.ts";
import { decodeText } from "../git/publish/text-content.ts";
import { fileOfSide } from "../runtime/pushed-bytes.ts";
import { limits } from "../shared/limits.ts";
import type { ReviewedChange } from "./change-routes.ts";

const number = z.coerce.number().int().min(1);

/** `from`, and up to but not with `to`, counted from 1. */
export const linesQuery = z
  .strictObject({ from: number, to: number })
  .refine(({ from, to }) => to > from && to - from <= limits.contextLines, {
    path: ["to"],
    message: `must be 1 to ${limits.contextLines} lines beyond from`,
  });

/** Null: no such lines, or they are not kept. */
export async function linesAfter(change: ReviewedChange, file: DiffFile): Promise<TextLines | null> {
  const after = fileOfSide(file, "after");
  if (after === null || file.oldId === null || file.hunks.length === 0 || after.size > limits.contextBytes) return null;
  // What is not kept any more is no fault here: the diff is whole without it.
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
