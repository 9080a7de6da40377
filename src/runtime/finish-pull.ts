// Moves a draft to its new start, once it is known that everything fits.
// Invariant: a process that is killed at any point leaves a draft that the next call brings to its new state, or back to the old one if
// HEAD has become something else. Each step can be done twice. Files that are the same before and after are not touched.

import type { DraftPlace } from "../sandbox/box-workspace.ts";
import { filesInTheWay } from "../sandbox/draft-in-use.ts";
import {
  adoptRecord,
  leavePull,
  type PullPlan,
  pullDirectory,
  removeGitLocks,
  removePull,
  takePull,
} from "../sandbox/draft-pull.ts";
import type { Failure } from "../shared/failure.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { changedPaths, type PullGit, pullGit, readId, readNames, strangeGit } from "./pull-git.ts";
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
      removeGitLocks(place.directory);
      const git = pullGit(place, pullDirectory(place.directory), call);
      const settled = await leavingIt(place, async () => {
        const problem = strangeGit(place);
        if (problem !== null) return problem;
        const moved = await moveFiles(git, found.plan.work, found.plan.newWork);
        return moved.ok ? await complete(place, git, found.plan) : moved;
      });
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
export async function carryOut(place: DraftPlace, plan: PullPlan, call: CallStart): Promise<Result<undefined>> {
  const git = pullGit(place, pullDirectory(place.directory), call);
  return await leavingIt(place, async () => {
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

/** What could not be finished is left to the next call. */
async function leavingIt(place: DraftPlace, work: () => Promise<Result<undefined>>): Promise<Result<undefined>> {
  let done: Result<undefined> | null = null;
  try {
    return (done = await work());
  } finally {
    if (done?.ok !== true) leavePull(place.directory);
  }
}

/** From the files of one commit to those of another, whatever a killed process has done of it. */
async function moveFiles(git: PullGit, from: string, to: string): Promise<Result<undefined>> {
  const paths = await changedPaths(git.outside, from, to);
  if (!paths.ok) return paths;
  const read = await git.outside(["read-tree", from]);
  return read.ok ? await restore(git, to, paths.value) : read;
}

async function restore(git: PullGit, to: string, paths: readonly string[]): Promise<Result<undefined>> {
  if (paths.length === 0) return ok(undefined);
  const words = [
    "restore",
    `--source=${to}`,
    "--staged",
    "--worktree",
    "--pathspec-from-file=-",
    "--pathspec-file-nul",
  ];
  const restored = await git.outside(words, paths.map((path) => `${path}\0`).join(""));
  return restored.ok ? ok(undefined) : restored;
}

async function complete(place: DraftPlace, git: PullGit, plan: PullPlan): Promise<Result<undefined>> {
  const moved = await git.own(["update-ref", "-m", REASON, "HEAD", plan.newTip, plan.tip]);
  if (!moved.ok) {
    const head = await readId(git.own(["rev-parse", "--verify", "HEAD^{commit}"]));
    if (!head.ok || head.value !== plan.newTip) return await undo(place, git, plan, moved);
  }
  // If this fails, the index is an old one, and nothing is lost. `git reset` would read files, and run the session's filters for it.
  await git.own(["read-tree", "--reset", plan.newTip]);
  adoptRecord(place.directory);
  removePull(place.directory);
  return ok(undefined);
}

/** Files that another call has changed since stay as they are. */
async function undo(
  { directory }: DraftPlace,
  git: PullGit,
  { work, newWork }: PullPlan,
  refused: { readonly ok: false; readonly failure: Failure },
): Promise<Result<undefined>> {
  const moved = await changedPaths(git.outside, work, newWork);
  if (!moved.ok) return moved;
  const removed = await changedPaths(git.outside, work, newWork, ["--diff-filter=D"]);
  if (!removed.ok) return removed;
  const read = await git.outside(["read-tree", "-m", newWork]);
  if (!read.ok) return read;
  const changed = await readNames(git.outside(["diff", "--name-only", "-z", "--no-renames"]));
  if (!changed.ok) return changed;
  const kept = new Set(changed.value);
  const gone = new Set(removed.value);
  const tracked = new Set(moved.value.filter((path) => !kept.has(path) && !gone.has(path)));
  const isFree = (path: string) => !gone.has(path) || filesInTheWay(directory, [path], tracked).length === 0;
  const paths = moved.value.filter((path) => !kept.has(path) && isFree(path));
  const back = await restore(git, work, paths);
  if (!back.ok) return back;
  removePull(directory);
  return refused;
}
