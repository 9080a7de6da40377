// A person's look into a workspace in memory, as the store keeps it. It is compared with what was pulled, as git_diff does for the agent.

import { workspacePairs } from "../git/publish/push/workspace-pairs.ts";
import { WantedPaths } from "../git/publish/push/wanted-paths.ts";
import { ok, type Result } from "../shared/result.ts";
import { openWorkspaceStore } from "../store/workspaces.ts";
import type { Backend } from "./backend.ts";
import type { ListedMemory } from "./listed-session.ts";
import { lookSession, type SessionLook } from "./look-session.ts";
import { machineRepositories } from "./machine-repositories.ts";
import { MemorySession } from "./memory-session.ts";
import { nodeMachine } from "./node-machine.ts";
import { comparedBase } from "./plan-call.ts";
import { beginWalk } from "./run.ts";

export async function openMemoryLook(
  backend: Backend,
  { agent, session: name }: ListedMemory,
): Promise<Result<SessionLook>> {
  const session = { agent, name };
  const store = openWorkspaceStore(backend.config.stateDirectory);
  const workspace = new MemorySession(() => null, { store, session });
  const own = lookSession(backend, session, workspace, [], null);
  const begun = await beginWalk("changes", own, null, machineRepositories);
  if (!begun.ok) {
    workspace.close();
    return begun;
  }
  const base = comparedBase(begun.value.walk);
  return ok({
    session,
    format: "sha1",
    inProject: null,
    async pairs(paths, mostBytes) {
      const wanted = WantedPaths.parse(paths.length === 0 ? undefined : paths);
      if (!wanted.ok) return wanted;
      return await workspacePairs(workspace.files, { base, hashes: nodeMachine.hashes }, wanted.value, mostBytes);
    },
    commits: () => base.commits(),
    close: () => workspace.close(),
  });
}
