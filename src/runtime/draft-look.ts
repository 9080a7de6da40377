// A person's look into a session's draft: what the session has changed, and nothing that calls of the agent would leave behind. The look
// depends on what the draft noted when it began, not on the agent's grants as they are now.
// Invariant: everything in a draft was written by an agent. Its git runs in a box that shows the draft read-only and nothing else of the
// person's, and its files are read without following a link.

import { lstatSync } from "node:fs";
import type { FilePair } from "../git/publish/diff.ts";
import type { ComparedBase, MadeCommits } from "../git/publish/push/compared-base.ts";
import type { DraftGit } from "../git/draft/draft-git.ts";
import { showTracked } from "../git/tracked-files.ts";
import { type ChangedPairs, workspacePairs } from "../git/publish/push/workspace-pairs.ts";
import { WantedPaths } from "../git/publish/push/wanted-paths.ts";
import { type Capability, createCapability, type FsGrant } from "../policy/capability.ts";
import { createPolicy } from "../policy/policy.ts";
import { RuleIndex } from "../policy/rule-index.ts";
import { DirectoryHandle } from "../process/directory-handle.ts";
import { type DraftRecord, hasDraft, readDraftRecord } from "../sandbox/draft-directory.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { defaultRunLimits } from "../shared/run-limits.ts";
import type { SessionId } from "../shared/session-id.ts";
import { createRegistry } from "../tools/registry.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Backend } from "./backend.ts";
import { DraftSession } from "./draft-session.ts";
import type { GateSession } from "./gate-session.ts";
import { machineRepositories } from "./machine-repositories.ts";
import { nodeMachine } from "./node-machine.ts";
import { comparedBase } from "./plan-call.ts";
import type { ProjectChanges } from "./project-changes.ts";
import type { RuleBook } from "./rule-book.ts";
import { beginWalk } from "./run.ts";

export interface DraftLook {
  readonly record: DraftRecord;
  readonly session: SessionId;
  readonly files: Workspace;
  readonly base: ComparedBase;
  readonly git: DraftGit;
  /** What the person has done in the project since the draft began. */
  readonly inProject: ProjectChanges | null;
  /** What has not landed. `paths`: as a person writes them, below the project; all if there is none. */
  pairs(paths: readonly string[], mostBytes?: number): Promise<Result<ChangedPairs>>;
  commits(): Promise<Result<MadeCommits | null>>;
  close(): void;
}

export async function openDraftLook(backend: Backend, directory: string): Promise<Result<DraftLook>> {
  const record = readDraftRecord(directory);
  const { drafts } = backend.sandbox;
  if (record === null || !hasDraft(directory)) return fail("not_found", "The draft is gone.");
  if (drafts === null)
    return fail("sandbox_unavailable", "Drafts cannot be mounted on this machine.", {
      hint: `\`${backend.command("doctor")}\` shows what is missing.`,
    });
  const session = { agent: record.agent, name: record.session };
  const { project } = record;
  const workspace = new DraftSession({ project, directory, session, endsWithGate: false, parts: drafts });
  const begun = await beginWalk("changes", lookSession(backend, session, workspace, record), null, machineRepositories);
  if (!begun.ok) {
    workspace.close();
    return begun;
  }
  const { walk } = begun.value;
  const base = comparedBase(walk);
  const { files } = workspace;
  return ok({
    record,
    session,
    files,
    base,
    git: machineRepositories.gitInside(walk),
    inProject: workspace.inProject,
    async pairs(paths, mostBytes) {
      const wanted = WantedPaths.parse(paths.length === 0 ? undefined : paths.map((path) => workspace.spelled(path)));
      if (!wanted.ok) return wanted;
      const found = await workspacePairs(files, { base, hashes: nodeMachine.hashes }, wanted.value, mostBytes);
      return found.ok ? ok({ ...found.value, pairs: withoutGone(project, found.value.pairs) }) : found;
    },
    commits: () => base.commits(),
    close: () => workspace.close(),
  });
}

/** A file that the project does not have either is no deletion that could land. */
function withoutGone(project: string, pairs: readonly FilePair[]): FilePair[] {
  const handle = new DirectoryHandle(project);
  try {
    const isThere = (path: string) =>
      handle.atPath(path, (at) => lstatSync(at, { throwIfNoEntry: false })) !== undefined;
    return pairs.filter(({ path, after }) => after !== null || isThere(path));
  } finally {
    handle.close();
  }
}

function lookSession(
  backend: Backend,
  id: SessionId,
  workspace: DraftSession,
  { project, hide }: DraftRecord,
): GateSession {
  const capability = lookCapability(hide);
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
    defaultTarget: { type: "local", path: project },
    below: "",
    onAsking: () => undefined,
  };
}

/** SECURITY(T48): hides in the project what was hidden when the draft began, and shows nothing else. */
function lookCapability(hide: string): Capability {
  const grants = (JSON.parse(hide) as [path: string, hide: string[]][]).map(([path, globs]): FsGrant => ({
    path,
    mode: "r",
    hide: globs,
  }));
  return createCapability({ toolGrants: [], fsGrants: grants, netGrants: [], limits: defaultRunLimits });
}

/** The rules are about agents. A person's look needs none of them, and no answer that somebody remembers. */
function lookRules({ config }: Backend, capability: Capability): RuleBook {
  const sealed = [config.stateDirectory, config.configDirectory, config.compiledDirectory];
  const policy = createPolicy({ sealed });
  return {
    inForce: () => Promise.resolve(ok({ policy, capability: showTracked(capability), answers: [] })),
    answers: () => Promise.resolve(new RuleIndex([])),
  };
}
