// A Failure is the gate's "no": a value with a code, one line that says what is wrong, and a hint that says
// what would pass. A Failure is never thrown. What is thrown is a Fault: a bug in the gate, which also means no.

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

/** The message may contain text from a call or a program. */
function oneLine(text: string): string {
  return /^[ -~]*$/.test(text) ? text : displayText(text);
}
