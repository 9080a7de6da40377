// Opens a person's look at what a session has changed, whatever kind of workspace it has.

import { draftPath } from "../sandbox/draft-list.ts";
import type { Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import { openDraftLook } from "./draft-look.ts";
import type { ListedSession } from "./listed-session.ts";
import type { SessionLook } from "./look-session.ts";
import { openMemoryLook } from "./memory-look.ts";

export async function openSessionLook(backend: Backend, listed: ListedSession): Promise<Result<SessionLook>> {
  if (listed.project === null) return await openMemoryLook(backend, listed);
  return await openDraftLook(backend, draftPath(backend.config.stateDirectory, listed));
}
