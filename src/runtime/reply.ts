// The reply: the shape of every answer of a gate.

import type { ResultOf } from "../tools/tool-results.ts";
import type { Failure, FailureSlug } from "../shared/failure.ts";

/** Of a call whose tool is known when a program is written, the result has that tool's fields. */
export type Reply<Name extends string = string> =
  | { readonly ok: true; readonly result: ResultOf<Name> }
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
