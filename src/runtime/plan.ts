// From a Call to an Action: the tool says what it needs, the agent's grants say what it sees.

import type { Action, Step, View, ViewPath, WorkspaceView } from "../action/action.ts";
import type { DiffFile } from "../action/diff-file.ts";
import type { Effect } from "../action/effect.ts";
import { commandEffects } from "../command/effects.ts";
import { allowsNetwork, fsGrantFor } from "../policy/capability.ts";
import { executedPart, isRepositoryPart } from "../policy/executed-later.ts";
import { deniedIn, hiddenByRules, type Policy } from "../policy/policy.ts";
import { findOnPath } from "../process/find-on-path.ts";
import { isWithin } from "../shared/path.ts";
import { ok, type Result } from "../shared/result.ts";
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
}

export async function planAction(call: Call, context: PlanContext, policy: Policy): Promise<Result<PlannedAction>> {
  const planned = await call.tool.plan(call.args, context);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const starts = plan.steps.map((step) => stepEffects(step, context));
  const effects = effectsOf(call, plan, starts.flat(), context);
  const draft = {
    tool: call.tool.name,
    agent: context.agent,
    steps: plan.steps,
    operation: plan.work?.operation ?? null,
    ...(plan.push === undefined ? {} : { push: plan.push.action }),
    contents: await changeableContents(plan, starts, context),
    stopsAtFailure: plan.stopsAtFailure,
    view: viewOf(plan, effects, context, policy),
    effects,
    limits: context.capability.limits,
  };
  const action = seal(draft);
  return ok({
    action,
    work: plan.work ?? null,
    diff: plan.push?.diff,
    place: plan.place,
    read: (outcomes, workspace) => plan.read(outcomes, workspace),
  });
}

/** The agent's grants, and what the call needs beyond them: that is judged, and in the box only if allowed. */
function viewOf(plan: Plan, effects: readonly Effect[], context: PlanContext, policy: Policy): View {
  const { capability, workspace } = context;
  const granted: ViewPath[] = capability.fsGrants.map(({ path, mode, hide }) => ({
    path,
    mode: plan.isReadOnly ? "r" : mode,
    hide,
  }));
  const beyond = (paths: readonly string[], mode: ViewPath["mode"]): ViewPath[] =>
    [...new Set(paths)]
      .filter((path) => !isWithin(path, "/workspace") && fsGrantFor(capability, path, mode) === undefined)
      .map((path) => ({ path, mode, hide: hiddenBelow(policy, path) }));
  const writes = beyond(plan.writes ?? [], "rw");
  const reads = beyond(plan.reads, "r").filter(({ path }) => !writes.some((write) => write.path === path));
  const widened = new Set(writes.map(({ path }) => path));
  return {
    paths: [...granted.filter(({ path }) => !widened.has(path)), ...reads, ...writes],
    links: [...context.links, ...plan.links],
    workspace: workspaceFor(plan, workspace, policy),
    mounts: isApart(plan)
      ? []
      : context.mounts.map((mount) => ({ ...mount, hide: deniedIn(mount.source, policy).hide })),
    opens: opened(effects),
    network: effects.some((effect) => effect.kind === "network" && effect.at !== "inside") ? "host" : "none",
  };
}

function isApart({ isReadOnly, seesWorkspace }: Plan): boolean {
  return isReadOnly && seesWorkspace !== true;
}

function workspaceFor(plan: Plan, workspace: WorkspaceView, policy: Policy): WorkspaceView {
  if (isApart(plan)) return { kind: "scratch" };
  if (workspace.kind !== "directory") return workspace;
  const { hide, locked } = deniedIn(workspace.path, policy);
  return { ...workspace, hide, locked: plan.isReadOnly ? [workspace.path] : locked };
}

function hiddenBelow(policy: Policy, path: string): readonly string[] {
  const hidden = hiddenByRules(policy, path);
  return hidden === "all" ? ["*"] : hidden;
}

function effectsOf(call: Call, plan: Plan, ofSteps: readonly Effect[], context: PlanContext): Effect[] {
  const isOnline = allowsNetwork(context.capability) && !plan.isOffline;
  return [
    { kind: "tool", tool: call.tool.name },
    ...plan.reads.map((path): Effect => ({ kind: "read", path })),
    ...(plan.writes ?? []).map((path): Effect => laterOf({ kind: "write", path }, context)),
    ...operationEffects(plan.work),
    ...ofSteps,
    ...(plan.effects ?? [])
      .map(insideOf)
      .filter((effect) => !isNamed(effect, plan))
      .map((effect) => laterOf(effect, context)),
    ...(isOnline || plan.needsNetwork === true ? [{ kind: "network", host: "*" } as const] : []),
  ];
}

/**
 * SECURITY(T08): a write to what others execute later, on the machine's disk: to be asked about, and only then possible.
 * Never a repository's own directory. In a workspace in memory nobody executes anything.
 */
function laterOf(effect: Effect, { capability, workspace }: PlanContext): Effect {
  if (effect.kind !== "write") return effect;
  const isShown = workspace.kind === "directory" && isWithin(effect.path, "/workspace");
  const path = isShown ? workspace.path + effect.path.slice("/workspace".length) : effect.path;
  const isOnDisk = isShown || fsGrantFor(capability, path, "rw") !== undefined;
  const part = executedPart(path);
  return part === null || !isOnDisk || isRepositoryPart(part) ? effect : { kind: "write", path, later: true };
}

function opened(effects: readonly Effect[]): string[] {
  const parts = effects.flatMap((effect) =>
    effect.kind === "write" && effect.later === true ? [executedPart(effect.path)] : [],
  );
  return [...new Set(parts.filter((part) => part !== null))];
}

function operationEffects(work: Work | undefined): Effect[] {
  if (work === undefined) return [];
  const { path, mode } = work.operation;
  return [{ kind: mode === "rw" ? "write" : "read", path }];
}

/** What a script writes where its call says that it will is judged once, as the call's own. */
function isNamed(effect: Effect, plan: Plan): boolean {
  return effect.kind === "write" && (plan.writes ?? []).some((path) => isWithin(effect.path, path));
}

/** The start itself, and what can be told from its words: what it would start in turn, and what that does. */
function stepEffects({ program, argv, cwd }: Step, { capability, project, home }: PlanContext): Effect[] {
  const roots = [project, "/workspace", ...capability.fsGrants.map(({ path }) => path)];
  const [, ...inside] = commandEffects(argv, { cwd, home, roots, findProgram: findOnPath });
  return [{ kind: "run", program, argv, at: "start" }, ...inside.map(insideOf)];
}

function insideOf(effect: Effect): Effect {
  return effect.kind === "read" || effect.kind === "write" || effect.kind === "network"
    ? { ...effect, at: "inside" }
    : effect;
}
