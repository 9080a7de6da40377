// Answers a repeated push of a commit that has landed: the same call gets the same answer, and no person is asked. A caller that
// lost the first answer (a client that gave up waiting, a killed process) has no other way to learn it.
// Invariant: this changes nothing, and contacts no other machine.

import { fail, ok, type Result } from "../../../shared/result.ts";
import type { LandedCommit } from "../../staged.ts";
import type { GitTarget } from "../../target/target.ts";
import { parseGithubRepo, parseRemoteUrl } from "../../target/url.ts";
import { describeLanded, type SessionCommits } from "./session-commits.ts";

/** `asked` is null if the call names no target. */
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

/** The target as the call names it, in one normalized spelling. */
export function askedTarget(target: GitTarget, commits: SessionCommits): LandedCommit["asked"] {
  return { place: addressOf(target, commits), branch: target.branch ?? null };
}

function addressOf(target: GitTarget, { localAddress }: SessionCommits): string {
  if (target.type === "remote") {
    const url = parseRemoteUrl(target.url);
    return url.ok ? url.value.text : target.url;
  }
  if (target.type === "github") {
    const repo = parseGithubRepo(target.repo);
    return `github ${repo.ok ? repo.value.text : target.repo}`;
  }
  return localAddress(target.path);
}

/** If the call names a branch, it must be the branch that the commit landed on. If it names none, the first call named none. */
function isSame(now: LandedCommit["asked"], { asked, result }: LandedCommit): boolean {
  const isSameAddress = now.place === asked.place || now.place === result.target;
  return isSameAddress && (now.branch === asked.branch || now.branch === result.branch);
}
