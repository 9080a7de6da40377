// Turns a Plan into an Action: the tool says what the call needs, and the agent's grants say what it sees.

import type { UnsealedAction, Step, View, ViewLink, ViewPath } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import { commandEffects } from "../command/script/script.ts";
import { fsGrantFor, hostGrantFor, writablePaths, writableRoot } from "../policy/capability.ts";
import { executedPartOf, isRepositoryPart } from "../policy/executed-later.ts";
import { type AddedDirectory, grantDirectories } from "../policy/grant-directories.ts";
import { hiddenByRules, type Policy, withoutDenied } from "../policy/policy.ts";
import { realPathOf } from "../policy/workspace-real-path.ts";
import { isWithin } from "../shared/path.ts";
import { spellWorkspacePath } from "../workspace/path.ts";
import { commandContext } from "../tools/programs/command-context.ts";
import type { BoxAccess, Plan, PlanContext, ProgramPlan, PushPlan, WorkPlan } from "../tools/tool.ts";
import type { CallContext } from "./call-context.ts";
import { changeableContents } from "./changeable.ts";
import { foundHost } from "./found-host.ts";
import type { Machine } from "./machine.ts";

/** Everything that the call may do. The caller seals and judges it. */
export async function actionOfPlan(
  plan: Plan,
  context: PlanContext,
  { tool, policy, session: { machine } }: CallContext,
): Promise<UnsealedAction> {
  const needs = plan.kind === "programs" ? plan : needsOfWork(plan);
  const starts = needs.steps.map((step) => stepEffects(step, context));
  const operation = await operationEffects(plan, context);
  let known: readonly string[] | null = null;
  const targets = () => (known ??= context.executedTargets());
  const effects = effectsOf(tool, needs, starts.flat(), operation, context, targets);
  return {
    tool,
    agent: context.agent,
    steps: needs.steps,
    operation: plan.kind === "programs" ? null : plan.operation,
    ...(plan.kind === "push" && plan.push !== null ? { push: plan.push.action } : {}),
    contents: await changeableContents(needs, starts, context, machine),
    stopsAtFailure: needs.stopsAtFailure,
    ...(plan.kind === "programs" && plan.keepsPartial === true ? { keepsPartial: true } : {}),
    view: viewOf(needs, effects, openedParts(effects, context, targets), context, policy, machine),
    effects,
    limits: context.capability[plan.kind === "programs" && plan.limits === "work" ? "workLimits" : "limits"],
  };
}

/** What a plan needs of the machine. */
interface Needs {
  readonly steps: readonly Step[];
  readonly reads: readonly string[];
  readonly links: readonly ViewLink[];
  readonly access: BoxAccess;
  readonly network: ProgramPlan["network"];
  readonly effects: readonly Effect[];
  readonly stopsAtFailure: boolean;
}

/** If the gate does the work itself, no box is built, but the paths that it may reach are judged and shown too. */
function needsOfWork({ operation, effects }: WorkPlan | PushPlan): Needs {
  const access: BoxAccess = operation.mode === "r" ? { mode: "r", seesWorkspace: false } : { mode: "rw", writes: [] };
  return { steps: [], reads: [], links: [], access, network: "none", effects, stopsAtFailure: true };
}

function writesOf({ access }: Needs): readonly string[] {
  return access.mode === "rw" ? access.writes : [];
}

/** The agent's grants, and what the call needs beyond them. That is judged, and the box shows it only if it is allowed. */
function viewOf(
  needs: Needs,
  effects: readonly Effect[],
  opens: readonly string[],
  context: PlanContext,
  policy: Policy,
  machine: Machine,
): View {
  const { capability } = context;
  const beyond = (paths: readonly string[], mode: ViewPath["mode"]): AddedDirectory[] =>
    paths
      .map((path) => realPathOf(path, context))
      .filter((path) => !isWithin(path, "/workspace") && fsGrantFor(capability, path, mode) === undefined)
      .map((path) => ({ path, mode }));
  const needed = [...beyond(writesOf(needs), "rw"), ...beyond(needs.reads, "r")];
  const seen =
    needed.length === 0
      ? capability
      : withoutDenied(grantDirectories(capability, capability, needed), withPrograms(policy, needed, machine));
  const isReadOnly = needs.access.mode === "r";
  const isApart = needs.access.mode === "r" && !needs.access.seesWorkspace;
  return {
    paths: [
      ...seen.fsGrants.map((grant): ViewPath => (isReadOnly ? { ...grant, mode: "r" } : grant)),
      ...deniedInBase(context, policy, machine),
    ],
    links: [...context.links, ...needs.links],
    workspace: isApart ? { kind: "scratch" } : context.workspace.view,
    mounts: isApart ? [] : context.mounts,
    opens,
    network: viewNetwork(needs, effects, context),
  };
}

function viewNetwork({ network }: Needs, effects: readonly Effect[], context: PlanContext): View["network"] {
  if (effects.some((effect) => effect.kind === "network" && effect.at !== "inside" && effect.host === "*"))
    return "host";
  const mayConnect =
    typeof network === "object" || context.network === "hosts" || effects.some((effect) => foundHost(effect) !== null);
  if (network === "none" || !mayConnect) return "none";
  return { hosts: namedHosts(network).filter((host) => hostGrantFor(context.capability, host) === undefined) };
}

function namedHosts(network: Needs["network"]): readonly string[] {
  return typeof network === "object" ? network.hosts : [];
}

/** SECURITY(T40): finds denied programs also in paths that the call needs beyond the grants. */
function withPrograms(policy: Policy, needed: readonly AddedDirectory[], machine: Machine): Policy {
  const more = machine.deniedProgramFiles(
    policy.index.rules,
    needed.map(({ path }) => path),
  );
  return more.length === 0 ? policy : { ...policy, absent: [...new Set([...policy.absent, ...more])] };
}

/** SECURITY(T40): every box shows the system's libraries. If rules deny a file in them, the box hides that file. */
function deniedInBase({ capability }: PlanContext, policy: Policy, machine: Machine): ViewPath[] {
  if (policy.absent.length === 0) return [];
  return machine
    .baseViewPaths()
    .filter((path) => fsGrantFor(capability, path, "r") === undefined)
    .map((path): ViewPath => ({ path, mode: "r", hide: hiddenBelow(policy, path) }))
    .filter(({ hide }) => hide.length > 0);
}

function hiddenBelow(policy: Policy, path: string): readonly string[] {
  const hidden = hiddenByRules(policy, path);
  return hidden === "all" ? ["*"] : hidden;
}

function effectsOf(
  tool: string,
  needs: Needs,
  ofSteps: readonly Effect[],
  operation: readonly Effect[],
  context: PlanContext,
  targets: () => readonly string[],
): Effect[] {
  const isOnline = needs.network === "needed" || (needs.network !== "none" && context.network === "host");
  const judged = (effect: Effect) => laterOf(onDisk(effect, context), context, targets);
  return [
    { kind: "tool", tool },
    ...[
      ...needs.reads.map((path): Effect => ({ kind: "read", path })),
      ...writesOf(needs).map((path): Effect => ({ kind: "write", path })),
      ...operation,
    ].map(judged),
    ...ofSteps.filter((effect) => !isOwnGit(effect, needs, context)).map((effect) => onDisk(effect, context)),
    ...needs.effects
      .filter((effect) => !isOwnGit(effect, needs, context))
      .map(insideOf)
      .filter((effect) => !isNamed(effect, needs))
      .map(judged),
    ...namedHosts(needs.network).map((host): Effect => ({ kind: "network", host })),
    ...(isOnline ? [{ kind: "network", host: "*" } as const] : []),
  ];
}

/**
 * SECURITY(T08): marks a write to a file on the machine's disk that other programs execute later. It needs a yes. A .git directory is
 * never opened this way. Files of a workspace in memory and of a draft are not executed by others.
 */
function laterOf(effect: Effect, { capability, workspace }: PlanContext, targets: () => readonly string[]): Effect {
  if (effect.kind !== "write" || fsGrantFor(capability, effect.path, "rw") === undefined) return effect;
  if (workspace.ownFile(effect.path) !== null) return effect;
  const part = executedPartOf(effect.path, writableRoot(capability, effect.path), targets());
  return part === null || isRepositoryPart(part) ? effect : { kind: "write", path: effect.path, later: true };
}

function openedParts(
  effects: readonly Effect[],
  { capability }: PlanContext,
  targets: () => readonly string[],
): string[] {
  const parts = effects.flatMap((effect) => {
    if (effect.kind !== "write" || effect.later !== true) return [];
    return [executedPartOf(effect.path, writableRoot(capability, effect.path), targets())];
  });
  return [...new Set(parts.filter((part) => part !== null))];
}

/**
 * SECURITY(T46): rules and grants apply to the file on the disk, whatever name or link the call used. The workspace as a whole stays
 * `/workspace`, and each of its files is checked when it is read or changed.
 */
function onDisk(effect: Effect, context: PlanContext): Effect {
  if ((effect.kind !== "read" && effect.kind !== "write") || effect.path === "/workspace") return effect;
  return { ...effect, path: realPathOf(effect.path, context) };
}

/** The effect of the gate's own work on the workspace. It names the file that the path leads to, not the path that the caller wrote. */
async function operationEffects(plan: Plan, { files }: PlanContext): Promise<Effect[]> {
  if (plan.kind === "programs") return [];
  const { path, mode } = plan.operation;
  const entry = plan.kind === "work" ? await plan.entry(files) : null;
  const spelled = entry?.ok === true ? spellWorkspacePath(entry.value) : path;
  return [{ kind: mode === "rw" ? "write" : "read", path: spelled }];
}

/**
 * Whether git can destroy only the session's own work: it starts in the workspace, which has a repository of its own, and nothing else
 * can be changed. A person's work is not at stake.
 */
function isOwnGit(effect: Effect, needs: Needs, { capability, workspace, repositoryAt }: PlanContext): boolean {
  if (effect.kind !== "destroy" || effect.what !== "git") return false;
  if (!needs.steps.every(({ cwd }) => workspace.contains(cwd))) return false;
  const isOnly = [...writablePaths(capability), ...writesOf(needs)].every((path) => workspace.contains(path));
  return isOnly && repositoryAt(workspace.path).isInWorkspace;
}

/** Whether the call already names the path that the script writes. Such a write is judged once, as the call's. */
function isNamed(effect: Effect, needs: Needs): boolean {
  return effect.kind === "write" && writesOf(needs).some((path) => isWithin(effect.path, path));
}

/** The effect of starting the program, and the effects that its arguments show: what it would start, and what that does. */
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
