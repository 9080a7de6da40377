// From a Call to an Action: the tool says what it needs, the agent's grants say what it sees.

import type { Action, Step, View, ViewPath } from "../action/action.ts";
import type { DiffFile } from "../action/diff-file.ts";
import type { Effect } from "../action/effect.ts";
import { commandEffects } from "../command/script/script.ts";
import { allowsNetwork, fsGrantFor, writableRoot } from "../policy/capability.ts";
import { executedPartOf, isRepositoryPart } from "../policy/executed-later.ts";
import { type AddedDirectory, grantDirectories } from "../policy/grant-directories.ts";
import { hiddenByRules, type Policy, withoutDenied } from "../policy/policy.ts";
import { realPathOf } from "../policy/workspace-real-path.ts";
import { deniedProgramFiles } from "../process/denied-program-files.ts";
import { baseViewPaths } from "../sandbox/base-view.ts";
import type { Failure } from "../shared/failure.ts";
import { isWithin } from "../shared/path.ts";
import { ok, type Result } from "../shared/result.ts";
import { spellWorkspacePath } from "../workspace/path.ts";
import { commandContext } from "../tools/programs/command-context.ts";
import type { Plan, PlanContext, Work } from "../tools/tool.ts";
import type { Call } from "./call.ts";
import { changeableContents } from "./changeable.ts";
import { seal } from "./seal.ts";

export interface PlannedAction {
  readonly action: Action;
  readonly work: Work | null;
  readonly diff: readonly DiffFile[] | undefined;
  readonly place: Plan["place"];
  readonly read: Plan["read"];
  /** What can be done without the yes that was refused; null: nothing. */
  readonly lesser: ((refused: Failure) => Promise<PlannedAction>) | null;
}

export async function planAction(call: Call, context: PlanContext, policy: Policy): Promise<Result<PlannedAction>> {
  const planned = await call.tool.plan(call.args, context);
  return planned.ok ? ok(await sealPlan(planned.value, call, context, policy)) : planned;
}

async function sealPlan(plan: Plan, call: Call, context: PlanContext, policy: Policy): Promise<PlannedAction> {
  const { lesser } = plan;
  const starts = plan.steps.map((step) => stepEffects(step, context));
  const operation = await operationEffects(plan.work, context);
  let known: readonly string[] | null = null;
  const targets = () => (known ??= context.executedTargets());
  const effects = effectsOf(call, plan, starts.flat(), operation, context, targets);
  const draft = {
    tool: call.tool.name,
    agent: context.agent,
    steps: plan.steps,
    operation: plan.work?.operation ?? null,
    ...(plan.push === undefined ? {} : { push: plan.push.action }),
    contents: await changeableContents(plan, starts, context),
    stopsAtFailure: plan.stopsAtFailure,
    view: viewOf(plan, effects, opened(effects, context, targets), context, policy),
    effects,
    limits: context.capability.limits,
  };
  const action = seal(draft);
  return {
    action,
    work: plan.work ?? null,
    diff: plan.push?.diff,
    place: plan.place,
    read: (outcomes, workspace) => plan.read(outcomes, workspace),
    lesser: lesser === undefined ? null : (refused) => sealPlan(lesser(refused), call, context, policy),
  };
}

/** The agent's grants, and what the call needs beyond them: that is judged, and in the box only if allowed. */
function viewOf(
  plan: Plan,
  effects: readonly Effect[],
  opens: readonly string[],
  context: PlanContext,
  policy: Policy,
): View {
  const { capability } = context;
  const beyond = (paths: readonly string[], mode: ViewPath["mode"]): AddedDirectory[] =>
    paths
      .map((path) => realPathOf(path, context))
      .filter((path) => !isWithin(path, "/workspace") && fsGrantFor(capability, path, mode) === undefined)
      .map((path) => ({ path, mode }));
  const needed = [...beyond(plan.writes ?? [], "rw"), ...beyond(plan.reads, "r")];
  const seen =
    needed.length === 0
      ? capability
      : withoutDenied(grantDirectories(capability, capability, needed), withPrograms(policy, needed));
  const isApart = plan.isReadOnly && plan.seesWorkspace !== true;
  return {
    paths: [
      ...seen.fsGrants.map((grant): ViewPath => (plan.isReadOnly ? { ...grant, mode: "r" } : grant)),
      ...deniedInBase(context, policy),
    ],
    links: [...context.links, ...plan.links],
    workspace: isApart ? { kind: "scratch" } : context.workspace,
    mounts: isApart ? [] : context.mounts,
    opens,
    network: effects.some((effect) => effect.kind === "network" && effect.at !== "inside") ? "host" : "none",
  };
}

/** SECURITY(T40): the denied programs in what the call needs beyond the grants are looked up as those in the grants are. */
function withPrograms(policy: Policy, needed: readonly AddedDirectory[]): Policy {
  const trees = needed.map(({ path }) => path);
  const more = deniedProgramFiles(policy.index.rules, trees, trees);
  return more.length === 0 ? policy : { ...policy, absent: [...new Set([...policy.absent, ...more])] };
}

/** SECURITY(T40): the system's libraries, which every box shows, where something in them is denied: without that. */
function deniedInBase({ capability }: PlanContext, policy: Policy): ViewPath[] {
  if (policy.absent.length === 0) return [];
  return baseViewPaths()
    .filter((path) => fsGrantFor(capability, path, "r") === undefined)
    .map((path): ViewPath => ({ path, mode: "r", hide: hiddenBelow(policy, path) }))
    .filter(({ hide }) => hide.length > 0);
}

function hiddenBelow(policy: Policy, path: string): readonly string[] {
  const hidden = hiddenByRules(policy, path);
  return hidden === "all" ? ["*"] : hidden;
}

function effectsOf(
  call: Call,
  plan: Plan,
  ofSteps: readonly Effect[],
  operation: readonly Effect[],
  context: PlanContext,
  targets: () => readonly string[],
): Effect[] {
  const isOnline = allowsNetwork(context.capability) && !plan.isOffline;
  const judged = (effect: Effect) => laterOf(onDisk(effect, context), context, targets);
  return [
    { kind: "tool", tool: call.tool.name },
    ...[
      ...plan.reads.map((path): Effect => ({ kind: "read", path })),
      ...(plan.writes ?? []).map((path): Effect => ({ kind: "write", path })),
      ...operation,
    ].map(judged),
    ...ofSteps.map((effect) => onDisk(effect, context)),
    ...(plan.effects ?? [])
      .map(insideOf)
      .filter((effect) => !isNamed(effect, plan))
      .map(judged),
    ...(isOnline || plan.needsNetwork === true ? [{ kind: "network", host: "*" } as const] : []),
  ];
}

/**
 * SECURITY(T08): a write to what others execute later, on the machine's disk: to be asked about, and only then possible.
 * Never a repository's own directory. In a workspace in memory nobody executes anything.
 */
function laterOf(effect: Effect, { capability }: PlanContext, targets: () => readonly string[]): Effect {
  if (effect.kind !== "write" || fsGrantFor(capability, effect.path, "rw") === undefined) return effect;
  const part = executedPartOf(effect.path, writableRoot(capability, effect.path), targets());
  return part === null || isRepositoryPart(part) ? effect : { kind: "write", path: effect.path, later: true };
}

function opened(effects: readonly Effect[], { capability }: PlanContext, targets: () => readonly string[]): string[] {
  const parts = effects.flatMap((effect) => {
    if (effect.kind !== "write" || effect.later !== true) return [];
    return [executedPartOf(effect.path, writableRoot(capability, effect.path), targets())];
  });
  return [...new Set(parts.filter((part) => part !== null))];
}

/**
 * SECURITY(T46): rules and grants are about the file on the disk, whatever name or link the call used for it. The workspace as
 * a whole stays `/workspace`: of what is in it, each file is looked at when it is read or changed.
 */
function onDisk(effect: Effect, context: PlanContext): Effect {
  if ((effect.kind !== "read" && effect.kind !== "write") || effect.path === "/workspace") return effect;
  return { ...effect, path: realPathOf(effect.path, context) };
}

/** What the gate itself does on the workspace: with the file that the path leads to, not with the name that was written. */
async function operationEffects(work: Work | undefined, { files }: PlanContext): Promise<Effect[]> {
  if (work === undefined) return [];
  const { path, mode } = work.operation;
  const place = await work.place?.(files);
  const spelled = place?.ok === true ? spellWorkspacePath(place.value) : path;
  return [{ kind: mode === "rw" ? "write" : "read", path: spelled }];
}

/** What a script writes where its call says that it will is judged once, as the call's own. */
function isNamed(effect: Effect, plan: Plan): boolean {
  return effect.kind === "write" && (plan.writes ?? []).some((path) => isWithin(effect.path, path));
}

/** The start itself, and what can be told from its words: what it would start in turn, and what that does. */
function stepEffects({ program, argv, cwd, environment, stdin }: Step, context: PlanContext): Effect[] {
  const variables = Object.fromEntries(environment);
  const [, ...inside] = commandEffects(argv, commandContext({ cwd, variables, stdin }, context));
  return [{ kind: "run", program, argv, at: "start" }, ...inside.map(insideOf)];
}

function insideOf(effect: Effect): Effect {
  return effect.kind === "read" || effect.kind === "write" || effect.kind === "network"
    ? { ...effect, at: "inside" }
    : effect;
}
