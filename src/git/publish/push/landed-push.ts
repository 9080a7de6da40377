// A push of what has landed: the same call again gets the same answer, and nobody is asked. Whoever lost the first
// answer (a client that gave up waiting, a killed process) has no other way to learn it.
// Invariant: nothing is changed, and no other machine is contacted.

import { fail, ok, type Result } from "../../../shared/result.ts";
import type { LandedCommit } from "../../staged.ts";
import type { GitTarget } from "../../target/target.ts";
import { parseGithubRepo, parseRemoteUrl } from "../../target/url.ts";
import { describeLanded, type SessionCommits } from "./session-commits.ts";

/** `asked`: null where the call names no target. */
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
export function askedTarget(target: GitTarget, commits: SessionCommits): LandedCommit["asked"] {
  return { place: addressOf(target, commits), branch: target.branch ?? null };
}

function addressOf(target: GitTarget, { localPlace }: SessionCommits): string {
  if (target.type === "remote") {
    const url = parseRemoteUrl(target.url);
    return url.ok ? url.value.text : target.url;
  }
  if (target.type === "github") {
    const repo = parseGithubRepo(target.repo);
    return `github ${repo.ok ? repo.value.text : target.repo}`;
  }
  return localPlace(target.path);
}

/** A branch that is named is the one that it landed on; where none is, none was. */
function isSame(now: LandedCommit["asked"], { asked, result }: LandedCommit): boolean {
  const isPlace = now.place === asked.place || now.place === result.target;
  return isPlace && (now.branch === asked.branch || now.branch === result.branch);
}
