// What the gate itself does on a workspace, where no program is started.
// Invariant: only with a grant for the action that it is a part of.

import type { Action } from "../action/action.ts";
import { Grant } from "../approval/grant.ts";
import type { Result } from "../shared/result.ts";
import type { Work } from "../tools/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

export async function perform(
  grant: Grant,
  action: Action,
  work: Work,
  files: Workspace,
  workspace: SessionWorkspace,
): Promise<Result<Record<string, unknown>>> {
  // SECURITY(T02): as with a launch; the type alone lets anything through that looks like one.
  if (!Grant.isGrant(grant) || grant.action !== action) throw new TypeError("this work was not granted");
  const done = await work.run(files);
  if (!done.ok || work.operation.mode === "r") return done;
  const saved = await workspace.sync();
  if (!saved.ok) return saved;
  work.kept?.();
  return done;
}
