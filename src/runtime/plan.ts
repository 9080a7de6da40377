// From a Call to an Action: the tool says what it needs, the agent's grants say what it sees.

import { createHash } from "node:crypto";
import type { Action, View, ViewPath } from "../action/action.ts";
import { sealAction } from "../action/digest.ts";
import type { Effect } from "../action/effect.ts";
import { allowsNetwork, fsGrantFor } from "../policy/capability.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Plan, PlanContext } from "../tools/tool.ts";
import type { Call } from "./call.ts";

export interface PlannedAction {
  readonly action: Action;
  readonly read: Plan["read"];
}

export function planAction(call: Call, context: PlanContext): Result<PlannedAction> {
  const planned = call.tool.plan(call.args, context);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const view = viewOf(plan, context);
  const draft = {
    tool: call.tool.name,
    agent: context.agent,
    steps: plan.steps,
    stopsAtFailure: plan.stopsAtFailure,
    view,
    effects: effectsOf(call, plan, view),
    limits: context.capability.limits,
  };
  const action = sealAction(draft, (text) => createHash("sha256").update(text).digest("hex"));
  return ok({ action, read: (outcomes) => plan.read(outcomes) });
}

/** The agent's grants, and what the call needs beyond them: that is judged, and in the box only if allowed. */
function viewOf(plan: Plan, context: PlanContext): View {
  const { capability, workspace } = context;
  const granted: ViewPath[] = capability.fsGrants.map(({ path, mode, hide }) => ({
    path,
    mode: plan.isReadOnly ? "r" : mode,
    hide,
  }));
  const beyond = [...new Set(plan.reads)].filter((path) => fsGrantFor(capability, path, "r") === undefined);
  return {
    paths: [...granted, ...beyond.map((path): ViewPath => ({ path, mode: "r", hide: [] }))],
    links: [...context.links, ...plan.links],
    workspace: plan.isReadOnly ? { kind: "scratch" } : workspace,
    network: allowsNetwork(capability) && !plan.isOffline ? "host" : "none",
  };
}

function effectsOf(call: Call, plan: Plan, view: View): Effect[] {
  return [
    { kind: "tool", tool: call.tool.name },
    ...plan.reads.map((path): Effect => ({ kind: "read", path })),
    ...plan.steps.map(({ program, argv }): Effect => ({ kind: "run", program, argv })),
    ...(view.network === "none" ? [] : [{ kind: "network", host: "*" } as const]),
  ];
}
