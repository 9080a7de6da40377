// A push lands what was built and agreed to, and is noted as landed. If the gate is killed in between, the same push can be
// repeated: it finds the moved branch and finishes the rest.
// Invariant: what is begun is noted before anything changes, so that the same commit can be tried again, and lands whole.

import { fail, ok, type Result } from "../../../shared/result.ts";
import type { BegunLanding, LandedCommit, PushResult, StagedCommit } from "../../staged.ts";
import { landedCommit } from "../../target/landing.ts";
import type { GitTarget, Landing, TargetReading, TargetState } from "../../target/target.ts";
import { buildCommit } from "./build-push.ts";
import { answerLanded } from "./landed-push.ts";
import type { LandingRight, OpenedTarget } from "./opened-target.ts";
import type { SessionCommits } from "./session-commits.ts";

export interface BuiltPush {
  readonly staged: StagedCommit;
  readonly landing: Landing;
  readonly target: OpenedTarget;
  /** The target as the call named it. */
  readonly asked: LandedCommit["asked"];
}

export async function landPush(
  { staged, landing, target, asked }: BuiltPush,
  right: LandingRight,
  commits: SessionCommits,
): Promise<Result<Record<string, unknown>>> {
  const { staged: store, session } = commits;
  // Another call for it may have been quicker, while this one waited for a person.
  const already = store.landed(staged.id, session);
  if (already !== undefined) return answerLanded(staged.id, already, asked);
  if (store.find(staged.id, session) === undefined)
    return fail("changed", `${staged.id} was discarded while its push waited. Nothing was changed.`, {
      hint: "Stage the files again, if they are to land.",
    });
  store.noteBegun(staged.id, session, begunOf(landing));
  const landed = await target.land(landing, right, commits.progress);
  // Or while this one landed: what landed once is noted once.
  const meanwhile = store.landed(staged.id, session);
  if (meanwhile !== undefined) return answerLanded(staged.id, meanwhile, asked);
  if (!landed.ok) {
    store.noteBegun(staged.id, session, null);
    return landed;
  }
  const { state, commit, changes } = landing;
  return ok(noteLanded({ staged, state, commit, filesChanged: changes.length, notes: landed.value, asked }, commits));
}

function begunOf(landing: Landing): BegunLanding {
  const { state, commit, changes } = landing;
  const { place, branch, oldCommit, baseCommit, baseTree } = state;
  const { name = "", email = "" } = landedCommit(landing)?.author ?? {};
  const author = { name, email };
  return { commit, place, branch, oldCommit, baseCommit, baseTree, author, filesChanged: changes.length };
}

interface LandedPush {
  readonly staged: StagedCommit;
  readonly state: TargetState;
  readonly commit: string;
  readonly filesChanged: number;
  /** What a person should know of it. */
  readonly notes: readonly string[];
  readonly asked: LandedCommit["asked"];
}

/** The record says that it landed, and from now on the workspace is compared with it. */
function noteLanded(
  { staged, state, commit, filesChanged, notes, asked }: LandedPush,
  commits: SessionCommits,
): Record<string, unknown> {
  const { place, branch, oldCommit } = state;
  commits.note("commit.pushed", { commit: staged.id, sha: commit, place, branch, old: oldCommit });
  const now = staged.files.flatMap(({ path, after }) =>
    after === null ? [] : [{ path, ...after, source: place, commit }],
  );
  const gone = staged.files.filter(({ after }) => after === null).map(({ path }) => path);
  const result: PushResult = {
    commitSha: commit,
    branch,
    createdBranch: oldCommit === null,
    previousSha: oldCommit,
    target: place,
    filesChanged,
    ...(notes.length === 0 ? {} : { notes }),
  };
  commits.staged.noteLanded(staged.id, commits.session, { result, asked }, now, gone);
  return { ...result };
}

/** A push whose gate was killed after the branch had moved. A person has agreed to all of it. */
export interface InterruptedPush {
  readonly begun: BegunLanding;
  /** What is left to do: the landing again; or, where the branch is the last that changes, only to note that it landed. */
  readonly rest: { readonly landing: Landing } | { readonly note: () => Record<string, unknown> };
}

/** null: nothing is left half done there. */
export async function findInterruptedPush(
  staged: StagedCommit,
  target: GitTarget,
  asked: LandedCommit["asked"],
  looked: TargetReading,
  commits: SessionCommits,
): Promise<InterruptedPush | null> {
  const begun = commits.staged.begun(staged.id, commits.session);
  const { place, branch, oldCommit: now } = looked.state;
  if (begun === undefined || begun.place !== place || begun.branch !== branch || begun.commit !== now) return null;
  const { oldCommit, baseCommit, baseTree, commit, filesChanged } = begun;
  const state: TargetState = { ...looked.state, oldCommit, baseCommit, baseTree };
  // On other machines the branch is the last that changes.
  if (target.type !== "local" && target.type !== "local-bare")
    return {
      begun,
      rest: { note: () => noteLanded({ staged, state, commit, filesChanged, notes: [], asked }, commits) },
    };
  const built = await buildCommit(staged, { ...looked, state }, commits, begun.author);
  if (!built.ok || built.value.landing.commit !== commit) return null;
  return { begun, rest: { landing: built.value.landing } };
}
