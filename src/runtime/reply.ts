// The reply: the shape of every answer of a gate.

import type { Failure, FailureSlug } from "../shared/failure.ts";

export type Reply =
  | { readonly ok: true; readonly result: Record<string, unknown> }
  | {
      readonly ok: false;
      readonly error: FailureSlug;
      readonly message: string;
      readonly hint?: string;
      readonly because?: readonly string[];
    };

export function replyOf(failure: Failure): Reply {
  return { ok: false, ...failure };
}
