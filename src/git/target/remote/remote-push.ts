// Parses what `git push --porcelain` reports about the one branch.

import { redactText } from "../../../audit/redact-text.ts";

export type PushAnswer =
  | { readonly kind: "landed" }
  | { readonly kind: "moved" }
  | { readonly kind: "refused"; readonly reason: string }
  /** There was no answer, because the connection or the sign-in failed. */
  | { readonly kind: "nothing" };

// `stale info` means that the lease failed. The others are what a remote says if another push was faster.
const movedReasons =
  /stale info|fetch first|non-fast-forward|needs force|already exists|cannot lock ref|failed to (?:update ref|lock)|incorrect old value|reference already exists/i;

export function parsePorcelain(stdout: string, ref: string): PushAnswer {
  for (const line of stdout.split("\n")) {
    const [flag = "", names = "", summary = ""] = line.split("\t");
    if (!names.endsWith(`:${ref}`)) continue;
    // `=`: the branch already has the commit, from a push whose answer was lost.
    if (flag === "*" || flag === " " || flag === "=") return { kind: "landed" };
    if (movedReasons.test(summary)) return { kind: "moved" };
    const reason = /\((.*)\)\s*$/s.exec(summary)?.[1] ?? summary;
    return { kind: "refused", reason: redactText(reason.replace(/[\p{Cc}\p{Cf}]+/gu, " ")).slice(0, 300) };
  }
  return { kind: "nothing" };
}
