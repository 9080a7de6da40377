// What `git push --porcelain` said about the one branch.

import { redactText } from "../../../audit/redact-text.ts";

export type PushAnswer =
  | { readonly kind: "landed" }
  | { readonly kind: "moved" }
  | { readonly kind: "refused"; readonly reason: string }
  /** It did not come to an answer: the connection, the sign-in. */
  | { readonly kind: "nothing" };

// `stale info` is our lease; the others are what the remote says when it lost the race for us.
const movedReasons =
  /stale info|fetch first|non-fast-forward|needs force|already exists|cannot lock ref|failed to (?:update ref|lock)|incorrect old value|reference already exists/i;

export function parsePorcelain(stdout: string, ref: string): PushAnswer {
  for (const line of stdout.split("\n")) {
    const [flag = "", names = "", summary = ""] = line.split("\t");
    if (!names.endsWith(`:${ref}`)) continue;
    // `=`: it is there already, from a push whose answer was lost.
    if (flag === "*" || flag === " " || flag === "=") return { kind: "landed" };
    if (movedReasons.test(summary)) return { kind: "moved" };
    const reason = /\((.*)\)\s*$/s.exec(summary)?.[1] ?? summary;
    return { kind: "refused", reason: redactText(reason.replace(/[\p{Cc}\p{Cf}]+/gu, " ")).slice(0, 300) };
  }
  return { kind: "nothing" };
}
