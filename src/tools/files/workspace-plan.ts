// Makes the plan of a tool that starts no program: the gate itself works on the workspace's files.

import type { Operation } from "../../action/action.ts";
import { ok, type Result } from "../../shared/result.ts";
import { spellWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import type { WorkPlan } from "../tool.ts";

export function workspacePlan(...work: Parameters<typeof planOfWork>): Result<WorkPlan> {
  return ok(planOfWork(...work));
}

export function planOfWork(
  name: string,
  path: WorkspacePath,
  mode: Operation["mode"],
  details: Operation["details"],
  run: WorkPlan["run"],
): WorkPlan {
  return {
    kind: "work",
    operation: { name, path: spellWorkspacePath(path), mode, details },
    effects: [],
    entry: (files) => files.resolve(path),
    run,
    saved: null,
    reduced: null,
  };
}
