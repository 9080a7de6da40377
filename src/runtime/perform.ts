// Carries out work that the gate does itself: on the workspace, or landing a push. No program of the agent is started.
// Invariant: the work needs a grant for its action.

import { Grant } from "../approval/grant.ts";
import type { Result } from "../shared/result.ts";
import type { PushPlan, WorkPlan } from "../tools/tool.ts";
import { withTargetFailures, workspaceFiles } from "./plan-call.ts";
import type { Judged, Walk } from "./walk.ts";

export async function perform(
  plan: WorkPlan | PushPlan,
  { action }: Judged,
  grant: Grant,
  walk: Walk,
): Promise<Result<Record<string, unknown>>> {
  // SECURITY(T02): checks the grant at run time, as a launch does, because the type accepts any object of the same shape.
  if (!Grant.isGrant(grant) || grant.action !== action) throw new TypeError("this work was not granted");
  if (plan.kind === "push")
    return await withTargetFailures(() => plan.land(walk.repositories.landingRight(walk, grant)), walk);
  const files = workspaceFiles(walk, action.view.opens ?? []);
  const done = await withTargetFailures(() => plan.run(files), walk);
  if (!done.ok || plan.operation.mode === "r") return done;
  const saved = await walk.context.session.workspace.sync();
  if (!saved.ok) return saved;
  plan.saved?.();
  return done;
}
