// The message to the agent about a verdict that stays a no: what was refused, why, and what would allow it.

import { describeEffect, type Effect } from "../action/effect.ts";
import { type Finding, reasonsOf, type Verdict } from "../policy/decision.ts";
import { exactRule, renderRule } from "../policy/render.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { type Failure, failure, type FailureSlug } from "../shared/failure.ts";

/**
 * The first of the strictest findings decides the slug; a rule comes before others, because it has a reason. `more` names who
 * was asked and did not answer, and follows the hint.
 */
export function refusal(verdict: Verdict, more: string | null, command: OwnCommand): Failure {
  const strictest = verdict.findings.filter(({ decision }) => decision === verdict.decision);
  const finding = strictest.find(({ by, decision }) => by === "rules" && decision === "deny") ?? strictest[0];
  if (finding === undefined) return failure("permission_denied", "The action says nothing of what it would do.");
  const message = `Not allowed to ${describeEffect(finding.effect)}: ${finding.because}.`;
  const hint = [hintFor(finding, more !== null, command), more].filter((text) => text !== null).join(" ");
  return failure(slugOf(finding), message, { hint, because: reasonsOf(verdict) });
}

/** The hint if the gate asks nobody: a command that answers questions would have nothing to answer. */
const letAsk = "Whoever runs this gate decides that, with approvals: { mode: ask }.";

function slugOf({ effect, decision }: Finding): FailureSlug {
  switch (effect.kind) {
    case "read":
    case "write":
      return "fs_denied";
    case "network":
      return "net_denied";
    case "push":
    case "pull":
      return decision === "deny" ? "permission_denied" : "no_approver";
    case "tool":
    case "run":
    case "privilege":
    case "interactive":
    case "destroy":
      return "permission_denied";
  }
}

function hintFor({ effect, decision, by }: Finding, wasAsked: boolean, command: OwnCommand): string {
  const yes = (to: string) =>
    `A person has to say yes to ${to}${wasAsked ? "." : `, and nobody can be asked here. ${letAsk}`}`;
  if (by === "rules" && decision === "deny")
    return `A rule denies it; whoever runs this gate can change that with ${command("policy", "list")}.`;
  if (by === "never" && ["run", "read", "write"].includes(effect.kind))
    return "Neither a rule nor a person's answer opens this; work in another place.";
  switch (effect.kind) {
    case "tool":
      return `Whoever runs this gate can add ${JSON.stringify(effect.tool)} to the agent's tool_grants.`;
    case "run":
      if (effect.program === null) return "Check the script with `bash -n`; write it more plainly, or split it.";
      return `Whoever runs this gate can add { path: ${pathOf(effect)}, mode: r } to the agent's fs_grants.`;
    case "read":
      return `Whoever runs this gate can add { path: ${pathOf(effect)}, mode: r } to the agent's fs_grants.`;
    case "write":
      if (effect.later === true) return yes("this");
      if (effect.at === "inside")
        return `Write below /workspace or /tmp; or name it in the call's needs: {"write": [${pathOf(effect)}]}, and a person is asked.`;
      return `Whoever runs this gate can add { path: ${pathOf(effect)}, mode: rw } to the agent's fs_grants.`;
    case "network":
      if (effect.host === "*")
        return `Whoever runs this gate can set the agent's net_grants to ["*"]; single hosts need less: needs: {"network": ["host:port"]}.`;
      return `Whoever runs this gate can add ${JSON.stringify(effect.host)} to the agent's net_grants.`;
    case "push":
      if (effect.by === "command")
        return "Stage the files with git_stage and push them with git_push: a person sees the diff first.";
      return yes("this push");
    case "pull":
      if (effect.file === undefined) return yes("this");
      return `${yes("this file, which looks like a secret")} Other files come without that yes: name other paths.`;
    case "privilege":
    case "interactive":
    case "destroy":
      return `Whoever runs this gate can allow it: ${command("policy", "add", ruleThatAllows(effect))}`;
  }
}

function ruleThatAllows(effect: Effect): string {
  const rule = exactRule("allow", effect) ?? { decide: "allow" as const, effect: effect.kind };
  return renderRule(rule);
}

function pathOf(effect: Effect): string {
  return JSON.stringify("path" in effect ? effect.path : "program" in effect ? effect.program : "");
}
