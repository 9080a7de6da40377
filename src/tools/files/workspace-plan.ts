// The plan of a tool that starts nothing: it works on the workspace's files, and the gate does it itself.

import type { Operation } from "../../action/action.ts";
import { ok, type Result } from "../../shared/result.ts";
import { spellWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import type { Plan, Work } from "../tool.ts";

export function workspacePlan(...work: Parameters<typeof planOfWork>): Result<Plan> {
  return ok(planOfWork(...work));
}

export function planOfWork(
  name: string,
  path: WorkspacePath,
  mode: Operation["mode"],
  details: Operation["details"],
  run: Work["run"],
  { kept = () => undefined, place = (files) => files.resolve(path) }: Pick<Work, "kept" | "place"> = {},
): Plan {
  return {
    steps: [],
    reads: [],
    links: [],
    isReadOnly: mode === "r",
    isOffline: true,
    stopsAtFailure: true,
    work: { operation: { name, path: spellWorkspacePath(path), mode, details }, place, run, kept },
    read: () => ({}),
  };
}
