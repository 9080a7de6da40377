// Comments on lines of a diff, which go back to the agent with a no: "request changes".
// Invariant: plain text. Each comment begins a line with the quoted name of its file, which an agent chose; what a person wrote
// begins no line of its own.

import type { DiffFile } from "../action/diff-file.ts";
import { limits } from "../shared/limits.ts";
import { displayName } from "../shared/odd-name.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export interface ReviewComment {
  /** The name of a file of the diff, before or after. */
  readonly path: string;
  /** The line's number before the change, or after it. */
  readonly side: "before" | "after";
  readonly line: number;
  readonly text: string;
}

/** The reason of a no: what the person wrote about the whole, then each comment. Null if there is neither. */
export function reviewReason(
  reason: string,
  comments: readonly ReviewComment[],
  diff: readonly DiffFile[],
): Result<string | null> {
  const known = new Set(diff.flatMap(({ path, oldPath }) => [path, oldPath]));
  if (comments.some(({ path }) => !known.has(path)))
    return fail("invalid_args", "comments: this push has no such file.");
  const whole = reason.trim();
  const lines = comments.map(commentText);
  const text = [...(whole === "" ? [] : [whole]), ...lines].join("\n");
  if (text.length > limits.reasonCharacters)
    return fail("invalid_args", `comments: longer than ${limits.reasonCharacters} characters together.`);
  return ok(text === "" ? null : text);
}

/** As the agent reads it: `"src/total.ts" line 5: …`. Further lines of a comment are indented. */
export function commentText({ path, side, line, text }: ReviewComment): string {
  const where = `${JSON.stringify(displayName(path))} line ${line}${side === "before" ? " before the change" : ""}`;
  return `${where}: ${text.trim().replaceAll("\n", "\n    ")}`;
}

/** The lines of a reason, each comment as one of them. */
export function reasonLines(reason: string): readonly string[] {
  const lines = reason.replace(/\n {4}/g, " ").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}
