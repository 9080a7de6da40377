// Moves a draft to its new start, once it is known that everything fits.
// Invariant: a process that is killed at any point leaves a draft that the next call brings to its new state, or back to the old one if
// HEAD or a file has become something else. Each step can be done twice. Files that are the same before and after are not touched, and
// files that another call has written meanwhile are kept.

import type { DraftPlace } from "../sandbox/box-workspace.ts";
import { filesInTheWay } from "../sandbox/draft-in-use.ts";
import {
  adoptRecord,
  type PullPlan,
  type PullTurn,
  pullDirectory,
  removeGitLocks,
  removePull,
  takePull,
} from "../sandbox/draft-pull.ts";
import type { Failure } from "../shared/failure.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { type MovedFile, movedFiles, writtenMeanwhile } from "./moved-files.ts";
import { type PullGit, pullGit, readId, strangeGit } from "./pull-git.ts";
import type { CallStart } from "./session-workspace.ts";

const WAIT_MS = 30_000;
const REASON = "git_pull: the project as it is now";

/** Call this before the draft is used. Resolves to whether the draft has changed. The draft must be held. */
export async function finishPull(place: DraftPlace, call: CallStart): Promise<Result<boolean>> {
  const until = Date.now() + WAIT_MS;
  for (let hasWaited = false; ; hasWaited = true) {
    const found = takePull(place.directory);
    if (found.is === "none") return ok(hasWaited);
    if (found.is === "ours") {
      const settled = await takingTurn(found.turn, () => finish(place, found.turn.plan, call));
      return settled.ok ? ok(true) : settled;
    }
    if (Date.now() > until)
      return fail("tool_failed", "Another call is bringing what the project has now into this draft.", {
        hint: "Call again in a moment.",
      });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The first try, right after the pull was published. */
export async function carryOut(place: DraftPlace, turn: PullTurn, call: CallStart): Promise<Result<undefined>> {
  const { plan } = turn;
  const git = pullGit(place, pullDirectory(place.directory), call);
  return await takingTurn(turn, async () => {
    const moved = await git.outside(["read-tree", "-m", "-u", plan.work, plan.newWork]);
    if (moved.ok) return await complete(place, git, plan);
    if (!refusal.test(moved.failure.message)) return moved; // such as a full disk, with some files moved
    removePull(place.directory);
    return changedMeanwhile(moved.failure);
  });
}

// Git says so before it changes anything.
const refusal =
  /error: .*(?:Cannot merge\.|would be (?:overwritten|removed) by merge\.|would lose untracked files in it)$/m;

export function changedMeanwhile({ message }: Failure): Result<never> {
  return fail("changed", "Files of this draft were changed while it was being pulled into.", {
    hint: "Nothing was changed by the pull. Call again.",
    because: [message],
  });
}

async function takingTurn<T>(turn: PullTurn, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    turn.end();
  }
}

/** Whatever a killed process has done of it. */
async function finish(place: DraftPlace, plan: PullPlan, call: CallStart): Promise<Result<undefined>> {
  removeGitLocks(place.directory);
  const git = pullGit(place, pullDirectory(place.directory), call);
  const problem = strangeGit(place);
  if (problem !== null) return problem;
  // The files were moved before HEAD was.
  if (await isAtNewTip(git, plan)) return await complete(place, git, plan);
  const files = await movedFiles(git, plan);
  if (!files.ok) return files;
  const kept = await writtenMeanwhile(place.directory, git, files.value);
  if (kept.size > 0) return await goBack(place, git, plan, files.value, kept);
  const moved = await moveFiles(git, plan.work, plan.newWork, pathsOf(files.value));
  return moved.ok ? await complete(place, git, plan) : moved;
}

const pathsOf = (files: readonly MovedFile[]) => files.map(({ path }) => path);

async function isAtNewTip(git: PullGit, { newTip }: PullPlan): Promise<boolean> {
  const head = await readId(git.own(["rev-parse", "--verify", "HEAD^{commit}"]));
  return head.ok && head.value === newTip;
}

/** From the files of one commit to those of another. */
async function moveFiles(git: PullGit, from: string, to: string, paths: readonly string[]): Promise<Result<undefined>> {
  if (paths.length === 0) return ok(undefined);
  const read = await git.outside(["read-tree", from]);
  if (!read.ok) return read;
  const how = ["--staged", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"];
  const restored = await git.outside(["restore", `--source=${to}`, ...how], paths.map((path) => `${path}\0`).join(""));
  return restored.ok ? ok(undefined) : restored;
}

async function complete(place: DraftPlace, git: PullGit, plan: PullPlan): Promise<Result<undefined>> {
  const moved = await git.own(["update-ref", "-m", REASON, "HEAD", plan.newTip, plan.tip]);
  if (!moved.ok && !(await isAtNewTip(git, plan))) {
    const files = await movedFiles(git, plan);
    if (!files.ok) return files;
    const kept = await writtenMeanwhile(place.directory, git, files.value);
    const back = await goBack(place, git, plan, files.value, kept);
    return back.ok ? moved : back;
  }
  // If this fails, the index is an old one, and nothing is lost.
  await git.index(["read-tree", "--reset", plan.newTip]);
  adoptRecord(place.directory);
  removePull(place.directory);
  return ok(undefined);
}

/** Gives up the pull. `kept`: files that stay as they are. */
async function goBack(
  { directory }: DraftPlace,
  git: PullGit,
  { work, newWork }: PullPlan,
  files: readonly MovedFile[],
  kept: ReadonlySet<string>,
): Promise<Result<undefined>> {
  const own = files.filter(({ path }) => !kept.has(path));
  const tracked = new Set(pathsOf(own.filter(({ after }) => after !== null)));
  const isFree = ({ path, after }: MovedFile) =>
    after !== null || filesInTheWay(directory, [path], tracked).length === 0;
  const back = await moveFiles(git, newWork, work, pathsOf(own.filter(isFree)));
  if (!back.ok) return back;
  removePull(directory);
  return ok(undefined);
}
