// Judges an action: each effect alone, the strictest decision for the whole.
// Invariant: an error while judging is deny; a missing capability is deny, never "not checked".

import type { Action } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import { allowsNetwork, allowsTool, type Capability, fsGrantFor } from "./capability.ts";
import { type Decision, type Finding, strictest, type Verdict } from "./decision.ts";

export function judge(action: Action, capability: Capability | undefined): Verdict {
  const findings = action.effects.map((effect) => judgeEffect(effect, capability));
  // SECURITY(T01): no effects means nothing was said about what may happen, which is not "harmless".
  const decision = findings.length === 0 ? "deny" : strictest(findings.map((finding) => finding.decision));
  return { decision, findings };
}

function judgeEffect(effect: Effect, capability: Capability | undefined): Finding {
  try {
    const [decision, because] = capability === undefined ? noCapability : judgeByGrant(effect, capability);
    return { effect, decision, because };
  } catch (error) {
    return { effect, decision: "deny", because: `it could not be judged: ${String(error)}` };
  }
}

const noCapability: [Decision, string] = ["deny", "this agent has no grants at all"];

function judgeByGrant(effect: Effect, capability: Capability): [Decision, string] {
  switch (effect.kind) {
    case "tool":
      return allowsTool(capability, effect.tool) ? ["allow", "tool_grants"] : ["deny", "not in tool_grants"];
    case "run":
      return judgePath(effect.program, "r", capability);
    case "read":
      return judgePath(effect.path, "r", capability);
    case "write":
      return judgePath(effect.path, "rw", capability);
    case "network":
      return allowsNetwork(capability) ? ["allow", "net_grants"] : ["ask", "not in net_grants"];
  }
}

function judgePath(path: string, mode: "r" | "rw", capability: Capability): [Decision, string] {
  const grant = fsGrantFor(capability, path, mode);
  if (grant !== undefined) return ["allow", `fs_grants: ${grant.mode} ${grant.path}`];
  return ["ask", mode === "rw" ? "no rw grant covers it" : "no grant covers it"];
}
