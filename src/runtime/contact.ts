// Asks before another machine is asked anything: with a person's credentials, an address that an agent chose is a way out.

import type { Action } from "../action/action.ts";
import { type ApprovalContext, approve } from "../approval/approve.ts";
import type { Grant } from "../approval/grant.ts";
import type { Capability } from "../policy/capability.ts";
import type { Verdict } from "../policy/decision.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy } from "../policy/policy.ts";
import type { Result } from "../shared/result.ts";
import { seal } from "./seal.ts";

export interface ContactContext {
  readonly tool: string;
  readonly agent: string;
  readonly capability: Capability;
  readonly policy: Policy;
  readonly approvals: ApprovalContext;
  /** Writes it down; what cannot be written down throws, and nobody is spoken to. */
  readonly granted: (action: Action, verdict: Verdict, grant: Grant) => void;
}

/** The right to speak to that place, for the person, in this call. */
export async function askContact(place: string, context: ContactContext): Promise<Result<Grant>> {
  const { tool, agent, capability, policy, approvals, granted } = context;
  const action = seal({
    tool,
    agent,
    steps: [],
    operation: { name: "contact", path: "/workspace", mode: "r", details: { place } },
    contents: [],
    stopsAtFailure: true,
    view: { paths: [], links: [], workspace: { kind: "scratch" }, network: "none" },
    effects: [
      { kind: "tool", tool },
      { kind: "pull", source: place },
    ],
    limits: capability.limits,
  });
  const verdict = judge(action, capability, policy);
  const grant = await approve(action, verdict, approvals);
  if (grant.ok) granted(action, verdict, grant.value);
  return grant;
}
