// A person's look at what a session has changed, and the session that the look itself has: it belongs to no gate, makes no calls, and sees nothing but the workspace that is looked at.

import type { MadeCommits } from "../git/publish/push/compared-base.ts";
import type { ChangedPairs } from "../git/publish/push/workspace-pairs.ts";
import { showTracked } from "../git/tracked-files.ts";
import { type Capability, createCapability, type FsGrant } from "../policy/capability.ts";
import { createPolicy } from "../policy/policy.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import { ok, type Result } from "../shared/result.ts";
import { defaultRunLimits } from "../shared/run-limits.ts";
import type { SessionId } from "../shared/session-id.ts";
import { createRegistry } from "../tools/registry.ts";
import type { Backend } from "./backend.ts";
import type { GateSession } from "./gate-session.ts";
import { nodeMachine } from "./node-machine.ts";
import type { ProjectChanges } from "./project-changes.ts";
import type { RuleBook } from "./rule-book.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

export interface SessionLook {
  readonly session: SessionId;
  /** Of the ids that a patch of it names. */
  readonly format: "sha1" | "sha256";
  /** What the person has done in the project since the draft began. Null if there is none. */
  readonly inProject: ProjectChanges | null;
  /** What has not landed. `paths`: as a person writes them, below the project; all if there is none. */
  pairs(paths: readonly string[], mostBytes?: number): Promise<Result<ChangedPairs>>;
  /** Null if nobody can make commits there. */
  commits(): Promise<Result<MadeCommits | null>>;
  close(): void;
}

/** SECURITY(T48): `fsGrants` hides in the project what was hidden when the draft began, and shows nothing else. */
export function lookSession(
  backend: Backend,
  id: SessionId,
  workspace: SessionWorkspace,
  fsGrants: readonly FsGrant[],
  project: string | null,
): GateSession {
  const capability = createCapability({ toolGrants: [], fsGrants, netGrants: [], limits: defaultRunLimits });
  return {
    id,
    endsWithGate: false,
    machine: nodeMachine,
    backend,
    registry: createRegistry(),
    capability,
    rules: lookRules(backend, capability),
    workspace,
    approvers: [],
    defaultTarget: project === null ? null : { type: "local", path: project },
    below: "",
    onConflict: null,
    onAsking: () => undefined,
  };
}

/** The rules are about agents. A person's look needs none of them, and no answer that somebody remembers. */
function lookRules({ config }: Backend, capability: Capability): RuleBook {
  const sealed = [config.stateDirectory, config.configDirectory, config.compiledDirectory];
  const policy = createPolicy({ sealed });
  return {
    inForce: () => Promise.resolve(ok({ policy, capability: showTracked(capability), reachesHosts: false })),
    answers: () => Promise.resolve(new RuleIndex([])),
  };
}
