// A Failure is our own "no": a value with a code, one line that says what, and a hint that says
// what would pass. It is never thrown; what is thrown is a Fault (we are broken), which also means no.

import { displayText } from "./display.ts";

export const failureSlugs = [
  "tool_not_found",
  "permission_denied",
  "fs_denied",
  "net_denied",
  "invalid_args",
  "tool_failed",
  "approval_denied",
  "approval_timeout",
  "no_approver",
  "changed",
  "conflict",
  "not_found",
  "sandbox_unavailable",
  "internal",
] as const;

export type FailureSlug = (typeof failureSlugs)[number];

export interface Failure {
  readonly error: FailureSlug;
  readonly message: string;
  readonly hint?: string;
  readonly because?: readonly string[];
}

export interface FailureDetails {
  readonly hint?: string | undefined;
  readonly because?: readonly string[] | undefined;
}

export function failure(error: FailureSlug, message: string, details: FailureDetails = {}): Failure {
  const { hint, because = [] } = details;
  return {
    error,
    message: oneLine(message),
    ...(hint === undefined ? {} : { hint: oneLine(hint) }),
    ...(because.length === 0 ? {} : { because: because.map(oneLine) }),
  };
}

/** What a call or a program wrote may be a part of it. */
function oneLine(text: string): string {
  return /^[ -~]*$/.test(text) ? text : displayText(text);
}
