// A draft that is to be made, and the end of the process that mounts it.

import type { DraftHolder } from "../sandbox/draft-holder.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";

export interface DraftPlan {
  readonly project: string;
  /** Where the draft is to be. */
  readonly directory: string;
  readonly session: SessionId;
  readonly parts: DraftParts;
}

/** Unmounts a new draft. */
export async function endHolder(holder: DraftHolder): Promise<Result<undefined>> {
  if (await holder.end()) return ok(undefined);
  return fail("tool_failed", "The holder of a new draft did not end.", { hint: "Call again." });
}
