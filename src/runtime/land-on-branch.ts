// Lands what a session has changed on a branch of the project, for a person: through the same git_stage and git_push that
// the agent would call. The person answers the question of the push.
// Invariant: what the person saw with the question is what lands, and they are always asked: neither a rule nor a remembered answer says
// yes for them. Rules that deny hold.

import type { Approver, Question } from "../approval/approver.ts";
import type { Config } from "../config/load.ts";
import type { ShownConflict } from "../git/publish/push/shown-conflict.ts";
import { createCapability } from "../policy/capability.ts";
import { compileRule } from "../policy/rule.ts";
import { failure } from "../shared/failure.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { createRegistry } from "../tools/registry.ts";
import { gitDiscardTool } from "../tools/git-discard.ts";
import { gitPushTool } from "../tools/git-push.ts";
import { gitStageTool } from "../tools/git-stage.ts";
import type { Backend } from "./backend.ts";
import { openGateOn } from "./gate.ts";
import type { Gate } from "./session-gate.ts";
import { type ListedSession, listSessions } from "./listed-session.ts";
import type { Reply } from "./reply.ts";
import { repositoryAbove } from "./repository-above.ts";
import { openSessionLook } from "./session-look.ts";

export interface LandOnBranchOptions {
  /** What lands: files as one commit, or the commits that were made inside. */
  readonly stage:
    | { readonly files: readonly string[]; readonly message: string }
    | { readonly commits: "all"; readonly message?: string };
  readonly branch: string;
  /** The repository, a real path. */
  readonly place: string;
  /** The person, for the record. */
  readonly who: string;
  /** Shows the push to the person, and resolves to what they say. */
  readonly decide: (question: Question, signal: AbortSignal) => Promise<boolean>;
  /** Shows them what does not fit, before the result says so. */
  readonly onConflict: (conflict: ShownConflict) => void;
}

export interface LandedOnBranch {
  readonly branch: string;
  readonly commit: string;
  /** How many commits landed. */
  readonly commits: number;
  readonly files: number;
  readonly place: string;
  /** Files of the person's that were left as they are. */
  readonly notes: readonly string[];
}

/** The message of one commit of all that a session has changed, if nobody writes another. */
export function sessionMessage(session: string): string {
  return `Changes of session ${session}`;
}

/** The repository in which what a session has changed would land: the project, or where its files were pulled from. Null if nobody knows. */
export function knownPlace({ staged }: Backend, { agent, session, project }: ListedSession): string | null {
  if (project !== null) return project;
  const sources = new Set([...staged.pulled({ agent, name: session }).values()].map(({ source }) => source));
  const [only] = sources;
  return sources.size === 1 && only?.startsWith("/") === true ? only : null;
}

/** `backend`: with the configuration for the draft's project. */
export async function landOnBranch(
  backend: Backend,
  listed: ListedSession,
  options: LandOnBranchOptions,
): Promise<Result<LandedOnBranch>> {
  const { agent, session } = listed;
  const config = personConfig(backend.config, agent);
  if (!config.ok) return config;
  const registry = createRegistry();
  registry.register(gitStageTool);
  registry.register(gitPushTool);
  registry.register(gitDiscardTool);
  const { who } = options;
  let left: Result<unknown> = ok(null);
  const approver: Approver = {
    name: "changes land",
    async ask(question, signal) {
      const { digest, push } = question.action;
      if (push === undefined) return null;
      const isWanted = await options.decide(question, signal);
      if (isWanted) left = await leftToLand(backend, listed);
      const isYes = isWanted && left.ok;
      return { decision: isYes ? "allow" : "deny", digest, scope: "once", who, reason: null };
    },
  };
  const gate = openGateOn(
    { ...backend, config: config.value },
    { registry, agent, session, approvers: [approver], calledBy: who },
    undefined,
    options,
  );
  try {
    const landed = await stageAndPush(gate, options);
    if (!left.ok) return left;
    if (!landed.ok) return landed;
    const { place, branch, commit, files } = landed.value;
    const outcome = { place, how: "branch", branch, commit, files, who };
    backend.journal.append({ event: "session.landed", session, agent, outcome }, { durable: true });
    return landed;
  } finally {
    gate.close();
    await gate.closed;
  }
}

/** Fails if somebody has landed or discarded all of it since it was shown. That the session goes on does not matter: what was shown lands. */
async function leftToLand(backend: Backend, { name, begun, project }: ListedSession): Promise<Result<unknown>> {
  const gone = fail(
    "changed",
    "It has landed elsewhere, or was discarded, since it was shown. Nothing has landed now.",
    {
      hint: "The log says which. What was discarded can be restored for a day.",
    },
  );
  const now = listSessions(backend.config.stateDirectory).find((one) => one.name === name);
  // A draft that the session has begun meanwhile is another one. A workspace in memory has the time of its last change.
  if (now === undefined || (project !== null && now.begun !== begun)) return gone;
  const look = await openSessionLook(backend, now);
  if (!look.ok) return look;
  try {
    const found = await look.value.pairs([], limits.listedBytes);
    return found.ok && found.value.pairs.length === 0 ? gone : found;
  } finally {
    look.value.close();
  }
}

async function stageAndPush(
  gate: Gate,
  { stage, branch, place }: LandOnBranchOptions,
): Promise<Result<LandedOnBranch>> {
  const staged = resultOf(await gate.call({ tool: "git_stage", args: stage }));
  if (!staged.ok) return staged;
  const commitId = staged.value["id"];
  const path = repositoryAbove(place, gate.capability)?.root ?? place;
  const target = { type: "local", path, branch };
  const pushed = resultOf(await gate.call({ tool: "git_push", args: { commitId, target } }));
  if (!pushed.ok) {
    await gate.call({ tool: "git_discard", args: { commitId } });
    return pushed;
  }
  const { commitSha, commits = [commitSha], branch: on, filesChanged, target: address, notes = [] } = pushed.value;
  return ok({
    branch: on as string,
    commit: commitSha as string,
    commits: (commits as readonly unknown[]).length,
    files: filesChanged as number,
    place: address as string,
    notes: notes as readonly string[],
  });
}

function resultOf(reply: Reply): Result<Record<string, unknown>> {
  if (reply.ok) return ok(reply.result);
  const { error, message, hint, because } = reply;
  return { ok: false, failure: failure(error, message, { hint, because }) };
}

/** The person lands also what an agent may not push itself, and is asked although nobody else would be. */
function personConfig(config: Config, agent: string): Result<Config> {
  const granted = config.agents.get(agent);
  if (granted === undefined)
    return fail("not_found", `The configuration has no agent ${JSON.stringify(agent)} any more.`, {
      hint: "`sallyport changes land --here` and `export` need none.",
    });
  const toolGrants = [...granted.toolGrants, gitStageTool.name, gitPushTool.name, gitDiscardTool.name];
  const agents = new Map(config.agents).set(agent, createCapability({ ...granted, toolGrants }));
  const asks = compileRule(
    { decide: "ask", effect: "push", because: "a person lands the session" },
    "changes-land",
    "changes",
  );
  if (!asks.ok) return asks;
  const policy = { ...config.policy, rules: [...config.policy.rules, asks.value] };
  return ok({ ...config, agents, policy, approvals: { ...config.approvals, mode: "ask", timeoutS: limits.landingS } });
}
