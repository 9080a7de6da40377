// Finds the default branch of a repository on this machine, and the commits that a new branch would contain in addition to it.

import { joinPath } from "../../../shared/path.ts";
import type { ObjectId } from "../../publish/object.ts";
import { branchRef, parseBranchName } from "../../ref-name.ts";
import type { Repository } from "../../repository.ts";
import type { GitReader } from "./git-runner.ts";
import { readSmall, refId } from "./local-refs.ts";
import type { NewBranchBase } from "../target.ts";

const ORIGIN = "refs/remotes/origin/";
const MOST_COMMITS = 1_000;
const SUBJECTS = 5;

/** For a clone, the default branch of its origin. If that is not known, the branch that is checked out. */
export function localDefaultBranch(repository: Repository, headBranch: string | null): string | null {
  const text = readSmall(joinPath(repository.commonDirectory, `${ORIGIN}HEAD`)) ?? "";
  const named = /^ref:[ \t]*refs\/remotes\/origin\/(.+?)\s*$/.exec(text)?.[1];
  const parsed = named === undefined ? null : parseBranchName(named);
  return parsed?.ok === true ? parsed.value : headBranch;
}

export interface BaseContext {
  readonly repository: Repository;
  readonly git: GitReader;
  readonly headBranch: string | null;
  readonly defaultBranch: string | null;
}

export async function newBranchBase(commit: ObjectId, context: BaseContext): Promise<NewBranchBase> {
  const { repository, git, headBranch, defaultBranch } = context;
  const base = { branch: headBranch, commit, along: null };
  if (defaultBranch === null || defaultBranch === headBranch) return base;
  const known = [branchRef(defaultBranch), `${ORIGIN}${defaultBranch}`].flatMap((ref) => refId(ref, repository) ?? []);
  if (known.length === 0) return base;
  const words = ["rev-list", "--format=%s", `--max-count=${MOST_COMMITS}`, commit, ...known.map((id) => `^${id}`)];
  const listed = await git.read(repository, [...words, "--"], "");
  // For each commit, git prints one line of its own and then the subject.
  const lines = listed.ok ? new TextDecoder().decode(listed.value).split("\n").slice(0, -1) : null;
  const subjects = lines?.filter((_, index) => index % 2 === 1);
  if (subjects === undefined || subjects.length === 0) return base;
  return {
    ...base,
    along: {
      missingFrom: defaultBranch,
      count: subjects.length,
      isMore: subjects.length === MOST_COMMITS,
      subjects: subjects.slice(0, SUBJECTS),
    },
  };
}
