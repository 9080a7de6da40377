// A push of what has landed: the same call again gets the same answer, and nobody is asked. Whoever lost the first
// answer (a client that gave up waiting, a killed process) has no other way to learn it.
// Invariant: nothing is changed, and no place outside is spoken to.

import type { LandedCommit } from "../../git/staged.ts";
import type { GitTarget } from "../../git/target/target.ts";
import { parseGithubRepo, parseRemoteUrl } from "../../git/target/url.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { rootPath } from "../../workspace/path.ts";
import { describeLanded } from "../git-discard.ts";
import type { Plan } from "../tool.ts";
import type { GitServices } from "./git-services.ts";
import { workspacePlan } from "../files/workspace-plan.ts";

/** `asked`: null where the call names no target. */
export function planLanded(commitId: string, landed: LandedCommit, asked: LandedCommit["asked"] | null): Result<Plan> {
  const answer = answerLanded(commitId, landed, asked);
  if (!answer.ok) return answer;
  const details = { commit: commitId, landed: landed.result.commitSha };
  return workspacePlan("git_push", rootPath, "r", details, async () => answer);
}

export function answerLanded(
  commitId: string,
  landed: LandedCommit,
  asked: LandedCommit["asked"] | null,
): Result<Record<string, unknown>> {
  if (asked === null || isSame(asked, landed)) return ok({ ...landed.result });
  return fail("conflict", `${commitId} cannot go elsewhere: ${describeLanded(landed.result)}.`, {
    hint: "Stage the files again, and push that commit there.",
  });
}

/** How a target is named, in one spelling. */
export function askedTarget(target: GitTarget, git: GitServices): LandedCommit["asked"] {
  return { place: placeOf(target, git), branch: target.branch ?? null };
}

function placeOf(target: GitTarget, git: GitServices): string {
  if (target.type === "remote") {
    const url = parseRemoteUrl(target.url);
    return url.ok ? url.value.text : target.url;
  }
  if (target.type === "github") {
    const repo = parseGithubRepo(target.repo);
    return `github ${repo.ok ? repo.value.text : target.repo}`;
  }
  return git.localPlace(target.path);
}

/** A branch that is named is the one that it landed on; where none is, none was. */
function isSame(now: LandedCommit["asked"], { asked, result }: LandedCommit): boolean {
  const isPlace = now.place === asked.place || now.place === result.target;
  return isPlace && (now.branch === asked.branch || now.branch === result.branch);
}
