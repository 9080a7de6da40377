// The walk. Every call of every tool goes through here, top to bottom:
//
//   unknown ─parse▶ Call ─plan▶ Action ─judge▶ Verdict ─approve▶ Grant ─confine▶ Launch ─start▶ Outcome ─read▶ Reply
//                         │ in a draft only: what git says of the project when the draft begins, and of the draft
//                         ├─ git reads it in a box:             judge ▶ grant by the rules ▶ confine ▶ start
//                         │ git_push and git_pull only: facts of a repository outside, each with a walk of its own
//                         ├─ git reads it in a box:             judge ▶ grant by the rules ▶ confine ▶ start
//                         └─ another machine is contacted:      judge ▶ approve (may ask) ▶ contact
//                         for each host that its programs connect to, if they may reach single hosts
//                         └─ the gate connects:                 judge ▶ approve (may ask) ▶ connect
//                         after the last program only: files that it wrote and that others execute later
//                         └─ they land, or stay held back:      judge ▶ approve (may ask) ▶ land
//
// A dry run is the first half, up to the verdict. All judging, granting and starting is done by walk.ts.
// Invariant: a decision is on disk before it takes effect. The gate builds the box while it writes the start to the record. The program
// in the box waits for a byte, which the gate sends once the record is on disk. If the record cannot be written, nothing starts.

import type { Grant } from "../approval/grant.ts";
import { type Failure, failure } from "../shared/failure.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Plan, PlanContext, ProgramPlan, StepOutcome } from "../tools/tool.ts";
import { type CallRequest, parseCall } from "./call.ts";
import type { LiveCall } from "./call-context.ts";
import { changedContent } from "./changeable.ts";
import type { GateSession } from "./gate-session.ts";
import { openCallNetwork } from "./call-network.ts";
import { landLayers } from "./land-layers.ts";
import { perform } from "./perform.ts";
import { actionOfPlan } from "./action-of-plan.ts";
import { comparedBase, planCall, planContext } from "./plan-call.ts";
import { type Reply, replyOf } from "./reply.ts";
import { withShownArtifacts } from "./shown-artifacts.ts";
import type { CallNotes } from "./session-workspace.ts";
import { type Judged, type Repositories, Walk } from "./walk.ts";

/** A walk whose workspace is ready. `notes`: to be told with the result. */
interface BegunWalk {
  readonly walk: Walk;
  readonly notes: CallNotes;
}

interface JudgedCall extends BegunWalk {
  readonly context: PlanContext;
  readonly plan: Plan;
  readonly judged: Judged;
}

/** Every walk begins here: with the rules in force, and the workspace as it is now. `live` is null for a dry run. */
export async function beginWalk(
  tool: string,
  session: GateSession,
  live: LiveCall | null,
  repositories: Repositories,
): Promise<Result<BegunWalk>> {
  const rules = await session.rules.inForce();
  if (!rules.ok) return rules;
  const { policy, capability, reachesHosts } = rules.value;
  const walk = new Walk({ session, tool, capability, policy, reachesHosts, live }, repositories);
  const begun = await session.workspace.begin(repositories.callStart(walk));
  return begun.ok ? ok({ walk, notes: begun.value }) : begun;
}

/** The first half: parse, plan, judge. `live` is null for a dry run. */
export async function judgeCall(
  request: CallRequest,
  session: GateSession,
  live: LiveCall | null,
  repositories: Repositories,
): Promise<Result<JudgedCall>> {
  await session.registry.ready?.(request.tool);
  const call = parseCall(request, session.registry, session.capability, session.backend.command);
  if (!call.ok) return call;
  const begun = await beginWalk(call.value.tool.name, session, live, repositories);
  if (!begun.ok) return begun;
  const { walk, notes } = begun.value;
  const context = planContext(walk);
  const plan = await planCall(call.value, context, walk);
  if (!plan.ok) return { ok: false, failure: withNotes(plan.failure, notes) };
  const judged = walk.judge(await actionOfPlan(plan.value, context, walk.context));
  return ok({ walk, context, plan: plan.value, judged, notes });
}

export async function run(
  request: CallRequest,
  session: GateSession,
  live: LiveCall,
  repositories: Repositories,
): Promise<Reply> {
  const { record, listener } = live;
  record.received(request);
  const refuse = (why: Failure): Reply => (record.denied(why), replyOf(why));

  const whole = await judgeCall(request, session, live, repositories);
  if (!whole.ok) return refuse(whole.failure);
  record.noteJudged(whole.value.judged);
  const { walk, context, notes } = whole.value;
  const granted = await grantCall(whole.value);
  if (!granted.ok) return refuse(withNotes(granted.failure, notes));
  const { plan, judged, grant } = granted.value;
  record.noteGranted(judged, grant);
  if (listener.signal?.aborted === true) return refuse(cancelledBefore);

  // Files may have changed while a person was asked.
  const { action } = judged;
  const changed = grant.isByRule ? null : await changedContent(action, context, session.machine);
  if (changed !== null) return refuse(withNotes(changed, notes));

  if (plan.kind !== "programs") {
    record.performing(plan.operation);
    const done = await perform(plan, judged, grant, walk);
    if (!done.ok) return refuse(withNotes(done.failure, notes));
    record.performed();
    return { ok: true, result: { ...notes, ...done.value } };
  }
  const ended = await runSteps(plan, grant, walk);
  if (!ended.ok) return refuse(withNotes(ended.failure, notes));
  record.finished(ended.value);
  const read = await plan.read(ended.value, context.files);
  const result = await withShownArtifacts(read, ended.value, context.files, comparedBase(walk));
  return { ok: true, result: { ...result, ...notes } };
}

const cancelledBefore = failure("tool_failed", "The caller cancelled before anything started.");

/** What the gate carries out: the plan, or its reduced plan. */
interface GrantedCall {
  readonly plan: Plan;
  readonly judged: Judged;
  readonly grant: Grant;
}

/** Grants the whole call or, if the yes was refused, the reduced plan that needs none. Nobody is asked a second time. */
async function grantCall(whole: JudgedCall): Promise<Result<GrantedCall>> {
  const { walk, context, plan } = whole;
  const diff = plan.kind === "push" ? plan.push?.diff : undefined;
  const grant = await walk.grant(whole.judged, "person", { diff });
  if (grant.ok) return ok({ plan, judged: whole.judged, grant: grant.value });
  if (plan.kind === "push" && grant.failure.error === "approval_denied") plan.denied?.();
  const reduced = plan.kind === "work" ? (plan.reduced?.(grant.failure) ?? null) : null;
  if (reduced === null) return grant;
  const judged = walk.judge(await actionOfPlan(reduced, context, walk.context));
  const rest = await walk.grant(judged, "memory");
  return rest.ok ? ok({ plan: reduced, judged, grant: rest.value }) : grant;
}

/** Runs the steps one after another. Each sees what the earlier ones changed in the workspace. */
async function runSteps(plan: ProgramPlan, grant: Grant, walk: Walk): Promise<Result<readonly StepOutcome[]>> {
  const { session, live } = walk.context;
  const unusable = (await plan.startsIn?.problem()) ?? null;
  if (unusable !== null) return { ok: false, failure: unusable };
  const { action } = grant;
  const opened = session.backend.sandbox.openLayers(action.view);
  if (!opened.ok) return opened;
  const layers = opened.value;
  const outcomes: StepOutcome[] = [];
  const network = await openCallNetwork(grant, walk);
  try {
    // A person may have been asked about hosts meanwhile.
    if (live?.listener.signal?.aborted === true) return { ok: false, failure: cancelledBefore };
    for (const step of action.steps) {
      const workspace = await session.workspace.materialize(action.view.workspace, layers !== null);
      const listener = live?.listener ?? {};
      const ended = await walk.start(grant, step, { listener, workspace, layers, network: network?.box ?? null });
      if (!ended.ok) return { ok: false, failure: withStepsRun(ended.failure, outcomes, layers?.keep() ?? null) };
      const { outcome, ...reached } = (await network?.endStep(ended.value)) ?? { outcome: ended.value };
      const imported = await session.workspace.importChanges(outcome.changes, layers === null ? null : []);
      outcomes.push({ step, outcome, ...imported, ...reached });
      if (outcome.cancelled || (action.stopsAtFailure && outcome.exitCode !== 0)) break;
    }
    return layers === null ? ok(outcomes) : await landLayers(layers, outcomes, action, walk);
  } finally {
    try {
      network?.close();
    } finally {
      layers?.close();
    }
  }
}

/** A refusal may come from a workspace that is not the project. Then its hint says so. */
function withNotes(why: Failure, { workspace }: CallNotes): Failure {
  return workspace === undefined
    ? why
    : { ...why, hint: why.hint === undefined ? workspace : `${why.hint} ${workspace}` };
}

/** Says how many commands had run before the refusal. `kept`: where the layers are that they wrote to. */
function withStepsRun(why: Failure, before: readonly StepOutcome[], kept: string | null): Failure {
  if (before.length === 0) return why;
  const message = `${why.message} Before it, ${before.length} of the call's commands had run.`;
  if (kept === null) return { ...why, message };
  const where = `Nothing that they wrote has landed; it is kept for a day in ${kept}.`;
  return { ...why, message, hint: why.hint === undefined ? where : `${why.hint} ${where}` };
}
