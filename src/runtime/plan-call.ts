// Turns a Call into a Plan: the tool says what it would do, and gets what it declared in `needs`.

import { TargetReadFailure } from "../git/target/target.ts";
import type { ComparedBase } from "../git/publish/push/compared-base.ts";
import { createDraftBase } from "../git/draft/draft-base.ts";
import { createPulledBase } from "../git/publish/push/pulled-base.ts";
import type { SessionCommits } from "../git/publish/push/session-commits.ts";
import { allowsWholeNetwork, writablePaths } from "../policy/capability.ts";
import { systemClock } from "../shared/clock.ts";
import { failure } from "../shared/failure.ts";
import { isAbsolutePath, joinPath } from "../shared/path.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Plan, PlanContext, RepositoryInView } from "../tools/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Call } from "./call.ts";
import type { GateSession } from "./gate-session.ts";
import type { Walk } from "./walk.ts";

export async function planCall({ tool, args }: Call, context: PlanContext, walk: Walk): Promise<Result<Plan>> {
  switch (tool.needs) {
    case undefined:
      return await tool.plan(args, context);
    case "commits":
      return await tool.plan(args, context, sessionCommits(walk));
    case "targets": {
      const plan = async () => await tool.plan(args, context, sessionCommits(walk), walk.repositories.targets(walk));
      return await withTargetFailures(plan, walk);
    }
  }
}

export function planContext(walk: Walk): PlanContext {
  const { session, capability, reachesHosts } = walk.context;
  const { machine, backend, workspace, id } = session;
  const { config } = backend;
  return {
    agent: id.agent,
    capability,
    network: allowsWholeNetwork(capability) ? "host" : reachesHosts ? "hosts" : "none",
    project: config.project,
    home: config.home,
    workspace,
    mounts: config.workspace.mounts,
    files: workspaceFiles(walk, []),
    executedTargets: executedTargetsOf(session),
    hashes: machine.hashes,
    programs: machine.programSearch({
      person: config.programPath,
      home: config.home,
      capability,
      isOwn: (path) => workspace.ownFile(path) !== null,
    }),
    disk: machine.disk,
    user: machine.userName(),
    shell: config.shell,
    links: config.links.get(id.agent) ?? [],
    repositoryAt: (root) => repositoryIn(session, root),
  };
}

function repositoryIn({ workspace, machine }: GateSession, root: string): RepositoryInView {
  const own = workspace.repositoryAt(root);
  return own === null
    ? { ...machine.findRepository(root), isInWorkspace: false }
    : { repository: ok(own), directories: [root], isInWorkspace: true };
}

/** The workspace's files, limited to what the agent may see and change. `opens`: what else a person allowed to be changed. */
export function workspaceFiles({ context: { session, capability } }: Walk, opens: readonly string[]): Workspace {
  return session.workspace.filesFor({ capability, opens, executedTargets: executedTargetsOf(session) });
}

function executedTargetsOf({ backend, capability, workspace }: GateSession): () => readonly string[] {
  const onDisk = () => writablePaths(capability).filter((path) => !workspace.contains(path));
  return () => backend.sandbox.executedTargets(onDisk());
}

/** The real path of a repository on this machine, as a target names it. */
export function localAddress(path: string, { machine, backend }: GateSession): string {
  return machine.disk.resolve(isAbsolutePath(path) ? path : joinPath(backend.config.project, path)).real;
}

/** What the workspace of the call is compared with. */
export function comparedBase(walk: Walk): ComparedBase {
  const { session } = walk.context;
  const parts = { staged: session.backend.staged, session: session.id, hashes: session.machine.hashes };
  const { firstCommit } = session.workspace;
  if (firstCommit === null) return createPulledBase(parts);
  return createDraftBase({ ...parts, base: firstCommit, git: walk.repositories.gitInside(walk) });
}

function sessionCommits(walk: Walk): SessionCommits {
  const { session, live } = walk.context;
  return {
    session: session.id,
    staged: session.backend.staged,
    base: comparedBase(walk),
    inProject: session.workspace.inProject,
    defaultTarget: session.defaultTarget,
    below: session.below,
    projectPull: session.workspace.projectPull(walk.repositories.callStart(walk)),
    mayChange: (path) => workspaceFiles(walk, []).changeProblem(path) === null,
    onConflict: session.onConflict,
    progress: (done, total, what) => live?.listener.onProgress?.(done, total, what),
    hashes: session.machine.hashes,
    localAddress: (path) => localAddress(path, session),
    now: () => systemClock.now(),
    newId: () => session.machine.newId("c-"),
    note: (event, outcome) => live?.record.note(event, outcome),
  };
}

/** Turns the exception that reports a failed read of a target back into a Failure. */
export async function withTargetFailures<T>(work: () => Promise<Result<T>>, { context }: Walk): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TargetReadFailure)) throw error;
    if (context.live?.listener.signal?.aborted !== true) return { ok: false, failure: error.failure };
    return { ok: false, failure: failure("tool_failed", "The caller cancelled.", { because: [error.message] }) };
  }
}
