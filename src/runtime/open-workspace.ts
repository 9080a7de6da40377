// Opens the workspace of a gate as the configuration says. No other code branches on the kind of workspace.

import { statSync } from "node:fs";
import type { Config } from "../config/load.ts";
import type { GitTarget } from "../git/target/target.ts";
import { type Capability, fsGrantFor, writablePaths } from "../policy/capability.ts";
import { grantDraft } from "../policy/grant-directories.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { type Failure, failure } from "../shared/failure.ts";
import { canonicalJson } from "../shared/json.ts";
import { baseName, isWithin } from "../shared/path.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { AgentOf } from "../store/session-keys.ts";
import { openWorkspaceStore } from "../store/workspaces.ts";
import { openDirectoryWorkspace } from "../workspace/directory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { DirectorySession } from "./directory-session.ts";
import { DraftSession } from "./draft-session.ts";
import { GateError } from "./gate-error.ts";
import { MemorySession } from "./memory-session.ts";
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
}

/** `kept` is null if the session ends with the gate. */
export function openSessionWorkspace(
  { workspace, stateDirectory }: Config,
  sandbox: Sandbox,
  capability: Capability,
  session: SessionId,
  kept: KeptSession | null,
): OpenedWorkspace {
  if (workspace.kind === "directory")
    return { workspace: new DirectorySession(workspace.path, openDirectory(workspace.path)), capability, target: null };
  const stored = kept === null ? null : { store: openWorkspaceStore(kept.stateDirectory, kept), session: kept.session };
  const inMemory = (problem: Failure | null): OpenedWorkspace => ({
    workspace: new MemorySession(() => sandbox.openTree(), stored, problem),
    capability,
    target: null,
  });
  if (workspace.kind === "memory") return inMemory(null);
  const { path: project } = workspace;
  const granted = grantDraft(capability, project);
  const problem = draftProblem(project, capability, sandbox);
  if (problem !== null || granted === null || sandbox.drafts === null)
    return inMemory(
      failure("sandbox_unavailable", `There is no draft of ${project}: ${problem ?? "it cannot be mounted"}.`, {
        hint: "`sallyport doctor` shows what is missing. workspace: { kind: memory } needs none of it.",
      }),
    );
  const directory = `${stateDirectory}/drafts/${draftName(project, session)}`;
  return {
    workspace: new DraftSession({ project, directory, session, endsWithGate: kept === null, parts: sandbox.drafts }),
    capability: granted,
    target: { type: "local", path: project, branch: `sallyport/${session.name.replace(/[^\w.-]+/g, "-")}` },
  };
}

/** Why there can be no draft of the project. Null if there can be one. */
function draftProblem(project: string, capability: Capability, { drafts, probe }: Sandbox): string | null {
  if (fsGrantFor(capability, project, "r") === undefined) return "this agent may not see the project";
  if (statSync(project, { throwIfNoEntry: false })?.isDirectory() !== true) return "the project is no directory";
  // SECURITY(T48): a box that can change a directory above could put another directory in the project's place.
  const above = writablePaths(capability).find((path) => path !== project && isWithin(project, path));
  if (above !== undefined) return `this agent may change ${above}, in which the project lies; grant that with mode r`;
  if (drafts === null) return probe.problem?.message ?? "this machine cannot mount a layer over a directory";
  return null;
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
