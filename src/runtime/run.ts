// The walk. Every call of every tool goes through here, top to bottom, and through nothing else:
//
//   unknown ─parse▶ Call ─plan▶ Action ─judge▶ Verdict ─approve▶ Grant ─confine▶ Launch ─start▶ Outcome ─read▶ Reply
//
// Invariant: what is decided is on disk before it takes effect. If the record cannot be written, nothing starts.

import { type ApprovalContext, approve } from "../approval/approve.ts";
import { judge } from "../policy/evaluate.ts";
import type { Outcome } from "../process/outcome.ts";
import type { RunListener } from "../process/starter.ts";
import type { Confined, Sandbox } from "../sandbox/sandbox.ts";
import { type Failure, failure } from "../shared/failure.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Registry } from "../tools/registry.ts";
import type { PlanContext, StepOutcome } from "../tools/tool.ts";
import { type CallRequest, parseCall } from "./call.ts";
import { changedContent } from "./changeable.ts";
import { type CallGitSettings, openCallGit } from "./call-services.ts";
import { filesFor } from "./file-rights.ts";
import { askContact, type ContactContext } from "./contact.ts";
import { perform } from "./perform.ts";
import { planAction } from "./plan.ts";
import type { CallRecord } from "./record.ts";
import { type Reply, replyOf } from "./reply.ts";
import type { RuleBook } from "./rule-book.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

export interface WalkContext extends Omit<PlanContext, "git">, Pick<CallGitSettings, "gitSettings" | "remoteOptions"> {
  readonly registry: Registry;
  readonly rules: RuleBook;
  readonly approvals: Omit<ApprovalContext, "callId" | "signal" | "record" | "asked" | "timedOut" | "diff"> &
    Pick<ContactContext, "unsettled">;
  readonly sandbox: Sandbox;
  /** How a person starts this program. */
  readonly command: OwnCommand;
  readonly session: SessionWorkspace;
}

export async function run(
  request: CallRequest,
  context: WalkContext,
  record: CallRecord,
  listener: RunListener,
): Promise<Reply> {
  record.received(request);
  const refuse = (why: Failure): Reply => (record.denied(why), replyOf(why));

  const call = parseCall(request, context.registry, context.capability, context.command);
  if (!call.ok) return refuse(call.failure);

  const rules = context.rules.inForce();
  if (!rules.ok) return refuse(rules.failure);
  const { policy, capability } = rules.value;

  const synced = await context.session.sync();
  if (!synced.ok) return refuse(synced.failure);
  const judging = { ...context, tool: call.value.tool.name, capability, policy };
  const approvals = { ...context.approvals, ...record.ofApproval(listener.signal) };
  const { git, allow } = openCallGit(judging, {
    ...record.ofGit(listener),
    contact: (place, branch, credentials) =>
      askContact(
        { place, branch, credentials },
        { ...judging, ...approvals, approvals, granted: (...yes) => record.contacting(...yes) },
      ),
  });
  const files = filesFor(context, capability, []);
  const planned = await planAction(call.value, { ...context, capability, git, files }, policy);
  if (!planned.ok) return refuse(planned.failure);
  record.planned(planned.value.action);

  const verdict = judge(planned.value.action, capability, policy);
  record.judged(verdict);
  const asked = await approve(planned.value.action, verdict, { ...approvals, diff: planned.value.diff });
  // What needs no yes is done without the rest. Nobody is asked a second time.
  const lesser = asked.ok ? null : ((await planned.value.lesser?.(asked.failure)) ?? null);
  const { action, work, place, read } = lesser ?? planned.value;
  const rest = lesser === null ? verdict : judge(action, capability, policy);
  const grant = lesser === null ? asked : await approve(action, rest, { ...approvals, approvers: [] });
  if (!grant.ok) return refuse(asked.ok ? grant.failure : asked.failure);
  record.planned(action);
  record.judged(rest);
  record.granted(grant.value);
  allow(grant.value);
  if (listener.signal?.aborted === true)
    return refuse(failure("tool_failed", "The caller cancelled before anything started."));

  const changed = grant.value.isByRule ? null : await changedContent(action, files);
  if (changed !== null) return refuse(changed);
  const unusableDirectory = (await place?.problem()) ?? null;
  if (unusableDirectory !== null) return refuse(unusableDirectory);
  if (work !== null) {
    record.performing(work.operation);
    const opened = filesFor(context, capability, action.view.opens ?? []);
    const done = await perform(grant.value, action, work, opened, context.session);
    if (!done.ok) return refuse(done.failure);
    record.performed();
    return { ok: true, result: done.value };
  }

  const outcomes: StepOutcome[] = [];
  for (const step of action.steps) {
    const tree = action.view.workspace.kind === "scratch" ? undefined : await context.session.materialize();
    const confined = context.sandbox.confine(grant.value, step, tree);
    if (!confined.ok) return refuse(withStepsRun(confined.failure, outcomes));
    const { launch } = confined.value;
    // SECURITY(T17): what cannot be written down throws, and nothing runs.
    const dispatched = () => record.dispatched(step);
    const ended = await startConfined(confined.value, () =>
      context.sandbox.starter.start(launch, listener, dispatched),
    );
    if (!ended.ok) return refuse(withStepsRun(ended.failure, outcomes));
    outcomes.push({ step, ...ended.value, ...(await context.session.importChanges(ended.value.outcome.changes)) });
    if (outcomes.at(-1)?.outcome.cancelled === true) break;
    if (action.stopsAtFailure && outcomes.at(-1)?.outcome.exitCode !== 0) break;
  }
  record.finished(outcomes);
  return { ok: true, result: await read(outcomes, files) };
}

type Ended = Pick<StepOutcome, "outcome" | "quarantined">;

/** From a box to what became of it; nothing of ours is left on the host, whatever happens. */
async function startConfined(confined: Confined, start: () => Promise<Result<Outcome>>): Promise<Result<Ended>> {
  try {
    const outcome = await start();
    return outcome.ok ? ok({ outcome: outcome.value, quarantined: confined.afterwards() }) : outcome;
  } finally {
    confined.release();
  }
}

/** A refusal half way is not "nothing ran". */
function withStepsRun(why: Failure, before: readonly StepOutcome[]): Failure {
  if (before.length === 0) return why;
  return { ...why, message: `${why.message} Before it, ${before.length} of the call's commands had run.` };
}
