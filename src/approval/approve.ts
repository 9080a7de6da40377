// Turns a verdict into a grant, by asking a person where the verdict is `ask`.
// Invariant: no answer is no; deny is never asked about.

import type { Action } from "../action/action.ts";
import { describeEffect } from "../action/effect.ts";
import { type Finding, reasonsOf, type Verdict } from "../policy/decision.ts";
import { type Failure, failure, type FailureSlug } from "../shared/failure.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Approver } from "./approver.ts";
import { type Grant, grantByAnswer, grantByVerdict } from "./grant.ts";

export async function approve(
  action: Action,
  verdict: Verdict,
  approvers: readonly Approver[],
  signal: AbortSignal | undefined,
): Promise<Result<Grant>> {
  if (verdict.decision === "allow") return ok(grantByVerdict(action, verdict));
  if (verdict.decision === "ask") {
    for (const approver of approvers) {
      const answer = await approver.ask({ action, verdict }, signal);
      if (answer === null) continue;
      if (answer.decision === "allow") return ok(grantByAnswer(action, answer));
      const message = answer.reason ?? "A person said no.";
      return { ok: false, failure: failure("approval_denied", message, { because: [`answered by ${answer.who}`] }) };
    }
  }
  return { ok: false, failure: refusal(verdict) };
}

/** What the agent is told when the verdict stands as a no. The strictest finding decides the slug. */
function refusal(verdict: Verdict): Failure {
  const finding = verdict.findings.find(({ decision }) => decision === verdict.decision);
  if (finding === undefined) return failure("permission_denied", "The action says nothing of what it would do.");
  const message = `Not allowed to ${describeEffect(finding.effect)}: ${finding.because}.`;
  return failure(slugOf(finding), message, { hint: hintFor(finding), because: reasonsOf(verdict) });
}

function slugOf({ effect }: Finding): FailureSlug {
  switch (effect.kind) {
    case "read":
    case "write":
      return "fs_denied";
    case "network":
      return "net_denied";
    case "tool":
    case "run":
      return "permission_denied";
  }
}

function hintFor({ effect }: Finding): string {
  switch (effect.kind) {
    case "tool":
      return `Whoever runs this gate can add ${JSON.stringify(effect.tool)} to the agent's tool_grants.`;
    case "run":
    case "read":
      return `Whoever runs this gate can add { path: ${pathOf(effect)}, mode: r } to the agent's fs_grants.`;
    case "write":
      return `Whoever runs this gate can add { path: ${pathOf(effect)}, mode: rw } to the agent's fs_grants.`;
    case "network":
      return `Whoever runs this gate can set the agent's net_grants to ["*"].`;
  }
}

function pathOf(effect: { readonly path: string } | { readonly program: string }): string {
  return JSON.stringify("path" in effect ? effect.path : effect.program);
}
