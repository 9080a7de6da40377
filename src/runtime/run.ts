// The walk. Every call of every tool goes through here, top to bottom, and through nothing else:
//
//   unknown ─parse▶ Call ─plan▶ Action ─judge▶ Verdict ─approve▶ Grant ─confine▶ Launch ─start▶ Outcome ─read▶ Reply
//
// Invariant: what is decided is on disk before it takes effect. If the record cannot be written, nothing starts.

import { approve } from "../approval/approve.ts";
import type { Approver } from "../approval/approver.ts";
import { judge } from "../policy/evaluate.ts";
import type { RunListener } from "../process/starter.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type Failure, failure } from "../shared/failure.ts";
import type { Registry } from "../tools/registry.ts";
import type { PlanContext, StepOutcome } from "../tools/tool.ts";
import { type CallRequest, parseCall } from "./call.ts";
import { planAction } from "./plan.ts";
import type { CallRecord } from "./record.ts";
import { type Reply, replyOf } from "./reply.ts";

export interface WalkContext extends PlanContext {
  readonly session: string;
  readonly registry: Registry;
  readonly approvers: readonly Approver[];
  readonly sandbox: Sandbox;
}

export async function run(
  request: CallRequest,
  context: WalkContext,
  record: CallRecord,
  listener: RunListener,
): Promise<Reply> {
  record.received(request);
  const refuse = (why: Failure): Reply => (record.denied(why), replyOf(why));

  const call = parseCall(request, context.registry, context.capability);
  if (!call.ok) return refuse(call.failure);

  const planned = planAction(call.value, context);
  if (!planned.ok) return refuse(planned.failure);
  const { action, read } = planned.value;
  record.planned(action);

  const verdict = judge(action, context.capability);
  const grant = await approve(action, verdict, context.approvers, listener.signal);
  record.judged(verdict);
  if (!grant.ok) return refuse(grant.failure);
  if (listener.signal?.aborted === true)
    return refuse(failure("tool_failed", "The caller cancelled before anything started."));

  const outcomes: StepOutcome[] = [];
  for (const step of action.steps) {
    const confined = context.sandbox.confine(grant.value, step);
    if (!confined.ok) return refuse(sayWhatRan(confined.failure, outcomes));
    try {
      record.dispatched(step); // SECURITY(T17): what cannot be written down throws here, and nothing starts
      const outcome = await context.sandbox.starter.start(confined.value.launch, listener);
      if (!outcome.ok) return refuse(sayWhatRan(outcome.failure, outcomes));
      outcomes.push({ step, outcome: outcome.value, quarantined: confined.value.afterwards() });
    } finally {
      confined.value.release();
    }
    if (outcomes.at(-1)?.outcome.cancelled === true) break;
    if (action.stopsAtFailure && outcomes.at(-1)?.outcome.exitCode !== 0) break;
  }
  record.finished(outcomes);
  return { ok: true, result: read(outcomes) };
}

/** A refusal half way is not "nothing ran". */
function sayWhatRan(why: Failure, before: readonly StepOutcome[]): Failure {
  if (before.length === 0) return why;
  return { ...why, message: `${why.message} Before it, ${before.length} of the call's commands had run.` };
}
