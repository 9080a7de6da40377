// A person's look into a session's draft: what the session has changed, and nothing that calls of the agent would leave behind. The look
// depends on what the draft noted when it began, not on the agent's grants as they are now.
// Invariant: everything in a draft was written by an agent. Its git runs in a box that shows the draft read-only and nothing else of the
// person's, and its files are read without following a link.

import { lstatSync } from "node:fs";
import type { FilePair } from "../git/publish/diff.ts";
import type { DraftGit } from "../git/draft/draft-git.ts";
import { workspacePairs } from "../git/publish/push/workspace-pairs.ts";
import { WantedPaths } from "../git/publish/push/wanted-paths.ts";
import type { FsGrant } from "../policy/capability.ts";
import { DirectoryHandle } from "../process/directory-handle.ts";
import { type DraftRecord, hasDraft, readDraftRecord } from "../sandbox/draft-directory.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import { DraftSession } from "./draft-session.ts";
import { lookSession, type SessionLook } from "./look-session.ts";
import { machineRepositories } from "./machine-repositories.ts";
import { nodeMachine } from "./node-machine.ts";
import { comparedBase } from "./plan-call.ts";
import { beginWalk } from "./run.ts";

export interface DraftLook extends SessionLook {
  readonly record: DraftRecord;
  readonly git: DraftGit;
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
  const workspace = new DraftSession({ project, directory, session, endsWithGate: false, parts: drafts, kept: null });
  const own = lookSession(backend, session, workspace, hiddenThen(record.hide), project);
  const begun = await beginWalk("changes", own, null, machineRepositories);
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
    format: record.base.length === 64 ? "sha256" : "sha1",
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

/** What was hidden in the project when the draft began. */
function hiddenThen(hide: string): FsGrant[] {
  const grants = JSON.parse(hide) as [path: string, hide: string[]][];
  return grants.map(([path, globs]) => ({ path, mode: "r", hide: globs }));
}
