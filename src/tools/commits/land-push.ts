// A push lands what was built and agreed to, and is noted as landed. One that was killed half way is gone on with.
// Invariant: what is begun is noted before anything changes, so that the same commit can be tried again, and lands whole.

import type { BegunLanding, LandedCommit, PushResult, StagedCommit } from "../../git/staged.ts";
import { landedCommit } from "../../git/target/landing.ts";
import type { GitTarget, Landing, TargetReading } from "../../git/target/target.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { rootPath } from "../../workspace/path.ts";
import { buildCommit } from "./build-push.ts";
import type { GitServices, OpenedTarget } from "./git-services.ts";
import { answerLanded, askedTarget } from "./landed-push.ts";
import type { Plan, PlanContext } from "../tool.ts";
import { workspacePlan } from "../files/workspace-plan.ts";

export async function land(
  staged: StagedCommit,
  landing: Landing,
  target: OpenedTarget,
  git: GitServices,
  asked: LandedCommit["asked"],
): Promise<Result<Record<string, unknown>>> {
  // Another call for it may have been quicker, while this one waited for a person.
  const already = git.staged.landed(staged.id, git.session);
  if (already !== undefined) return answerLanded(staged.id, already, asked);
  if (git.staged.find(staged.id, git.session) === undefined)
    return fail("changed", `${staged.id} was discarded while its push waited. Nothing was changed.`, {
      hint: "Stage the files again, if they are to land.",
    });
  git.staged.noteBegun(staged.id, git.session, begunOf(landing));
  const landed = await target.land(landing, git.progress);
  // Or while this one landed: what landed once is noted once.
  const meanwhile = git.staged.landed(staged.id, git.session);
  if (meanwhile !== undefined) return answerLanded(staged.id, meanwhile, asked);
  if (!landed.ok) {
    git.staged.noteBegun(staged.id, git.session, null);
    return landed;
  }
  const { state, commit, changes } = landing;
  return ok(settle(staged, { state, commit, filesChanged: changes.length }, landed.value, git, asked));
}

function begunOf(landing: Landing): BegunLanding {
  const { state, commit, changes } = landing;
  const { place, branch, oldCommit, baseCommit, baseTree } = state;
  const { name = "", email = "" } = landedCommit(landing)?.author ?? {};
  const author = { name, email };
  return { commit, place, branch, oldCommit, baseCommit, baseTree, author, filesChanged: changes.length };
}

/** It has landed: the record says so, and from now on the workspace is compared with it. */
function settle(
  staged: StagedCommit,
  { state, commit, filesChanged }: Pick<Landing, "state" | "commit"> & { readonly filesChanged: number },
  notes: readonly string[],
  git: GitServices,
  asked: LandedCommit["asked"],
): Record<string, unknown> {
  const { place, branch, oldCommit } = state;
  git.note("commit.pushed", { commit: staged.id, sha: commit, place, branch, old: oldCommit });
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
  git.staged.noteLanded(staged.id, git.session, { result, asked }, now, gone);
  return { ...result };
}

/**
 * What was begun and then killed, when the branch had moved already: the rest of it, which a person has agreed to. null:
 * nothing is left half done there.
 */
export async function planRest(
  staged: StagedCommit,
  target: GitTarget,
  opened: OpenedTarget,
  looked: TargetReading,
  { git }: PlanContext,
): Promise<Result<Plan> | null> {
  const begun = git.staged.begun(staged.id, git.session);
  const { place, branch, oldCommit } = looked.state;
  if (begun === undefined || begun.place !== place || begun.branch !== branch || begun.commit !== oldCommit)
    return null;
  const state = { ...looked.state, ...pick(begun) };
  const asked = askedTarget(target, git);
  const details = { place, branch, old: begun.oldCommit, commit: begun.commit };
  const isLocal = target.type === "local" || target.type === "local-bare";
  // Elsewhere the branch is the last that changes.
  if (!isLocal)
    return workspacePlan("git_push", rootPath, "r", details, async () =>
      ok(settle(staged, { state, commit: begun.commit, filesChanged: begun.filesChanged }, [], git, asked)),
    );
  const built = await buildCommit(staged, { ...looked, state }, git, begun.author);
  if (!built.ok || built.value.landing.commit !== begun.commit) return null;
  const { landing } = built.value;
  return workspacePlan("git_push", rootPath, "r", details, () => land(staged, landing, opened, git, asked));
}

function pick({ oldCommit, baseCommit, baseTree }: BegunLanding) {
  return { oldCommit, baseCommit, baseTree };
}
