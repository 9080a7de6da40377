// Opens the workspace of a gate as the configuration says. No other code branches on the kind of workspace.

import type { Config } from "../config/load.ts";
import type { GitTarget } from "../git/target/target.ts";
import type { Capability, NarrowerCapability } from "../policy/capability.ts";
import { grantDraft } from "../policy/grant-directories.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { failure } from "../shared/failure.ts";
import { canonicalJson } from "../shared/json.ts";
import { hasDraft } from "../sandbox/draft-directory.ts";
import { KEPT_MS } from "../sandbox/discarded-drafts.ts";
import { draftTrialProblem } from "../sandbox/draft-trial.ts";
import { baseName } from "../shared/path.ts";
import type { KeptHome } from "../sandbox/kept-home.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { AgentOf } from "../store/session-keys.ts";
import { openWorkspaceStore } from "../store/workspaces.ts";
import { openDirectoryWorkspace } from "../workspace/directory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { DirectorySession } from "./directory-session.ts";
import { draftProblem } from "./draft-problem.ts";
import { DraftSession } from "./draft-session.ts";
import { GateError } from "./gate-error.ts";
import { type InsteadOfDraft, MemorySession } from "./memory-session.ts";
import { repositoryAbove } from "./repository-above.ts";
import { sessionBranch } from "./session.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/** Where, and under which name, a session's files are kept. */
export interface KeptSession {
  readonly stateDirectory: string;
  readonly session: SessionId;
  readonly agentOf: AgentOf;
}

export interface OpenedWorkspace {
  readonly workspace: SessionWorkspace;
  /** What the agent may do in this workspace. */
  readonly capability: Capability;
  /** Where a push lands that names no target; null if it must name one. */
  readonly target: GitTarget | null;
  /** Where the workspace lies in its repository; "" if it is the whole of it. */
  readonly below: string;
}

/** `kept` is null if the session ends with the gate. `narrowers`: see `grantDraft`. `home`: of what `sallyport run` starts. */
export function openSessionWorkspace(
  { workspace, stateDirectory }: Config,
  sandbox: Sandbox,
  capability: Capability,
  session: SessionId,
  kept: KeptSession | null,
  narrowers: readonly NarrowerCapability[] = [],
  home: KeptHome | null = null,
): OpenedWorkspace {
  if (workspace.kind === "directory")
    return {
      workspace: new DirectorySession(workspace.path, openDirectory(workspace.path)),
      capability,
      target: null,
      below: "",
    };
  const stored = kept === null ? null : { store: openWorkspaceStore(kept.stateDirectory, kept), session: kept.session };
  stored?.store.sweepAside(Date.now() - KEPT_MS);
  const inMemory = (instead: InsteadOfDraft): OpenedWorkspace => ({
    workspace: new MemorySession(() => sandbox.openTree(), stored, instead),
    capability,
    target: null,
    below: "",
  });
  if (workspace.kind === "memory") return inMemory({});
  const { path: project, isWritten } = workspace;
  const directory = `${stateDirectory}/drafts/${draftName(project, session)}`;
  const problem =
    draftProblem(workspace, capability, sandbox.probe) ??
    (hasDraft(directory) ? null : draftTrialProblem(project, stateDirectory));
  const granted = grantDraft(capability, project, narrowers);
  if (problem !== null || granted === null || sandbox.drafts === null)
    return inMemory(insteadOfDraft(project, problem ?? "nothing can be run here", isWritten));
  const above = repositoryAbove(project, granted);
  return {
    workspace: new DraftSession({
      project,
      directory,
      session,
      endsWithGate: kept === null,
      parts: sandbox.drafts,
      kept: home,
    }),
    capability: granted,
    below: above?.below ?? "",
    target: {
      type: "local",
      path: above?.root ?? project,
      branch: sessionBranch(session.name),
    },
  };
}

function insteadOfDraft(project: string, problem: string, isWritten: boolean): InsteadOfDraft {
  if (!isWritten)
    return {
      note: `The workspace is in memory and begins empty, because there is no draft of ${project}: ${problem}.`,
    };
  return {
    refusal: failure("sandbox_unavailable", `There is no draft of ${project}: ${problem}.`, {
      hint: "`sallyport doctor` shows what is missing. workspace: { kind: memory } needs none of it.",
    }),
  };
}

/** The home that the client has in each of its sessions; other programs have that of their session. */
export function keptHome(project: string, agent: string, client: string, isOfClient: boolean): KeptHome {
  return { name: draftName(project, { agent, name: client }), isOfClient };
}

/** Readable, and different for each project, agent and session. */
function draftName(project: string, { agent, name }: SessionId): string {
  const readable = [baseName(project), name].map((text) => text.replace(/[^\w.-]+/g, "-").slice(0, 60)).join("-");
  return `${readable.replace(/^[.-]+/, "")}-${nodeHashes.hex("sha256", canonicalJson([project, agent, name])).slice(0, 8)}`;
}

/** The directory existed when the configuration was read. It may be gone since, or the gate may lack permission. */
function openDirectory(path: string): Workspace {
  try {
    return openDirectoryWorkspace(path);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new GateError(`the workspace ${path} cannot be opened: ${said}`, { cause });
  }
}
