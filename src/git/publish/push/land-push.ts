// Lands the commit that a person agreed to, and notes it as landed. If the gate is killed in between, the agent can repeat the
// same push: the gate finds the moved branch and finishes the rest.
// Invariant: the gate notes a landing as begun before it changes anything, so that a retry lands the same commit completely.

import { fail, ok, type Result } from "../../../shared/result.ts";
import type { BegunLanding, LandedCommit, PushResult, StagedCommit } from "../../staged.ts";
import { landedCommit } from "../../target/landing.ts";
import type { GitTarget, Landing, TargetReading, TargetState } from "../../target/target.ts";
import { buildPush } from "./build-push.ts";
import { answerLanded } from "./landed-push.ts";
import type { LandingRight, OpenedTarget } from "./opened-target.ts";
import type { SessionCommits } from "./session-commits.ts";

export interface ReviewedPush {
  readonly staged: StagedCommit;
  readonly landing: Landing;
  readonly target: OpenedTarget;
  /** The target as the call named it. */
  readonly asked: LandedCommit["asked"];
}

export async function landPush(
  { staged, landing, target, asked }: ReviewedPush,
  right: LandingRight,
  commits: SessionCommits,
): Promise<Result<Record<string, unknown>>> {
  const { staged: store, session } = commits;
  // Another call may have landed the same commit while this one waited for a person.
  const already = store.landed(staged.id, session);
  if (already !== undefined) return answerLanded(staged.id, already, asked);
  if (store.find(staged.id, session) === undefined)
    return fail("changed", `${staged.id} was discarded while its push waited. Nothing was changed.`, {
      hint: "Stage the files again, if they are to land.",
    });
  store.noteBegun(staged.id, session, begunOf(landing));
  const landed = await target.land(landing, right, commits.progress);
  // Another call may also have landed it while this one was landing. The gate notes a landed commit only once.
  const meanwhile = store.landed(staged.id, session);
  if (meanwhile !== undefined) return answerLanded(staged.id, meanwhile, asked);
  if (!landed.ok) {
    store.noteBegun(staged.id, session, null);
    return landed;
  }
  const { state, steps, changes } = landing;
  const ids = steps.map(({ commit }) => commit);
  return ok(noteLanded({ staged, state, ids, filesChanged: changes.length, notes: landed.value, asked }, commits));
}

function begunOf(landing: Landing): BegunLanding {
  const { state, commit, steps, changes } = landing;
  const { address, branch, oldCommit, baseCommit, baseTree } = state;
  const { name = "", email = "" } = landedCommit(landing)?.author ?? {};
  const author = { name, email };
  return {
    commit,
    commits: steps.map((step) => step.commit),
    place: address,
    branch,
    oldCommit,
    baseCommit,
    baseTree,
    author,
    filesChanged: changes.length,
  };
}

interface LandedPush {
  readonly staged: StagedCommit;
  readonly state: TargetState;
  /** The commits, oldest first. */
  readonly ids: readonly string[];
  readonly filesChanged: number;
  /** What a person should know about the landing. */
  readonly notes: readonly string[];
  readonly asked: LandedCommit["asked"];
}

/** Writes to the record that the commit landed, and makes it the state that the workspace is compared with. */
function noteLanded(
  { staged, state, ids, filesChanged, notes, asked }: LandedPush,
  commits: SessionCommits,
): Record<string, unknown> {
  const { address, branch, oldCommit } = state;
  const commit = ids.at(-1) ?? "";
  const series = staged.series === undefined ? {} : { commits: ids };
  commits.note("commit.pushed", { commit: staged.id, sha: commit, ...series, place: address, branch, old: oldCommit });
  // With the paths that they have in the workspace, not in the repository.
  const files = commits.staged.find(staged.id, commits.session)?.files ?? [];
  const now = files.flatMap(({ path, after }) => (after === null ? [] : [{ path, ...after, source: address, commit }]));
  const gone = files.filter(({ after }) => after === null).map(({ path }) => path);
  const result: PushResult = {
    commitSha: commit,
    branch,
    createdBranch: oldCommit === null,
    previousSha: oldCommit,
    target: address,
    filesChanged,
    ...series,
    ...(notes.length === 0 ? {} : { notes }),
  };
  const tip = staged.series?.at(-1)?.id;
  const landed = { result, asked, ...(tip === undefined ? {} : { tip }) };
  commits.staged.noteLanded(staged.id, commits.session, landed, now, gone);
  return { ...result };
}

/** A push whose gate was killed after the branch had moved. A person has already agreed to it. */
export interface InterruptedPush {
  readonly begun: BegunLanding;
  /** What is left to do: land again or, if moving the branch is the last step of the target, only note that it landed. */
  readonly rest: { readonly landing: Landing } | { readonly note: () => Record<string, unknown> };
}

/** Null if no interrupted push of this commit is found there. */
export async function findInterruptedPush(
  staged: StagedCommit,
  target: GitTarget,
  asked: LandedCommit["asked"],
  reading: TargetReading,
  commits: SessionCommits,
): Promise<InterruptedPush | null> {
  const begun = commits.staged.begun(staged.id, commits.session);
  const { address, branch, oldCommit: now } = reading.state;
  if (begun === undefined || begun.place !== address || begun.branch !== branch || begun.commit !== now) return null;
  const { oldCommit, baseCommit, baseTree, commit, filesChanged, commits: ids = [commit] } = begun;
  const state: TargetState = { ...reading.state, oldCommit, baseCommit, baseTree };
  // For targets on other machines, moving the branch is the last step.
  if (target.type !== "local" && target.type !== "local-bare")
    return {
      begun,
      rest: { note: () => noteLanded({ staged, state, ids, filesChanged, notes: [], asked }, commits) },
    };
  const built = await buildPush(staged, { ...reading, state }, commits, begun.author);
  if (!built.ok || built.value.landing.commit !== commit) return null;
  return { begun, rest: { landing: built.value.landing } };
}
