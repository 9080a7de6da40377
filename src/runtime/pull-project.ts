// Brings what the project has now into a draft, by rebase: the person's commits and their uncommitted work come below the session's own.
// Invariant: the draft changes only if all of it fits. What is not known by then, such as a conflict, leaves it as it was.

import type { PulledProject } from "../git/draft/project-pull.ts";
import type { DraftRecord } from "../sandbox/draft-directory.ts";
import { filesInTheWay, hasRunningBoxes, unfinishedGit } from "../sandbox/draft-in-use.ts";
import { publishPull } from "../sandbox/draft-pull.ts";
import { namesIn } from "../process/names-in.ts";
import { joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { inNewDraft, snapshotProject } from "./begin-draft.ts";
import { type DraftPlan, endHolder } from "./draft-plan.ts";
import { carryOut, changedMeanwhile } from "./finish-pull.ts";
import { changedPaths, giveObjects, linkObjects, type PullGit, pullGit, strangeGit } from "./pull-git.ts";
import { commitWork, conflict, type PickedWork, pickSeries, type SessionWork } from "./pull-series.ts";
import type { CallStart } from "./session-workspace.ts";
import { refuseStagedOnly } from "./staged-only.ts";

const WAIT_MS = 2_000;

/** The draft must be held. `forget`: see `ProjectPull`. */
export async function pullProject(
  plan: DraftPlan,
  record: DraftRecord,
  call: CallStart,
  forget: (paths: readonly string[]) => void,
): Promise<Result<PulledProject>> {
  if (record.isLive)
    return fail("tool_failed", "This draft shows the project as it is, because that has too many files to copy.", {
      hint: "Use a new session.",
    });
  const problem = await inUse(plan);
  if (problem !== null) return problem;
  return await inNewDraft(plan, async (start, holder) => {
    const made = await snapshotProject(start, holder, call);
    if (!made.ok) return made;
    if (made.value.base.length !== record.base.length)
      return fail("changed", "The project's repository has another format than it had.", {
        hint: "Use a new session.",
      });
    linkObjects(start.directory, plan.project, record.base);
    const git = pullGit(plan, start.directory, call);
    const changed = await changedPaths(git.outside, record.base, made.value.base);
    if (!changed.ok) return changed;
    const pulled = { commit: made.value.head ?? made.value.base, changed: changed.value };
    if (changed.value.length === 0 && made.value.head === record.head) return ok({ ...pulled, rebased: 0, dropped: 0 });

    const before = await commitWork(git, start.directory, [...(record.leftOut ?? []), ...(made.value.leftOut ?? [])]);
    if (!before.ok) return before;
    const staged = await refuseStagedOnly(git, before.value);
    if (!staged.ok) return staged;
    const after = await pickSeries(git, record.base, before.value);
    if (!after.ok) return after;
    const ended = await endHolder(holder); // from here on, the new start is changed from outside
    if (!ended.ok) return ended;
    const ready = await prepare(plan, git, start.directory, before.value, after.value);
    if (!ready.ok) return ready;
    forget(changed.value);
    const steps = { ...before.value, newTip: after.value.tip, newWork: after.value.work };
    const turn = publishPull(start.directory, plan.directory, steps, newRecord(record, made.value));
    if (turn === null)
      return fail("changed", "Another gate is pulling into this draft.", { hint: "Call again in a moment." });
    const { rebased, dropped } = after.value;
    const done = await carryOut(plan, turn, call);
    return done.ok ? ok({ ...pulled, rebased, dropped }) : done;
  });
}

/** Checks that the draft can be moved, and gives its git the new commits. Nothing of it is in force yet. */
async function prepare(
  plan: DraftPlan,
  git: PullGit,
  start: string,
  before: SessionWork,
  after: PickedWork,
): Promise<Result<undefined>> {
  const added = await changedPaths(git.outside, before.work, after.work, ["--diff-filter=A"]);
  if (!added.ok) return added;
  const removed = await changedPaths(git.outside, before.work, after.work, ["--diff-filter=D"]);
  if (!removed.ok) return removed;
  const inTheWay = filesInTheWay(plan.directory, added.value, new Set(removed.value));
  if (inTheWay.length > 0) return conflict(inTheWay, "files of the session that git ignores");
  const given = await giveObjects(git, start, before.tip, after.tip);
  if (!given.ok) return given;
  // Last of all, because the rest takes its time.
  const problem = await inUse(plan);
  if (problem !== null) return problem;
  const fits = await git.outside(["read-tree", "-m", "-u", "-n", before.work, after.work]);
  return fits.ok ? ok(undefined) : changedMeanwhile(fits.failure);
}

/** Null if nothing is in the way. Calls that are about to end are waited for. */
async function inUse(plan: DraftPlan): Promise<Result<never> | null> {
  const { directory } = plan;
  for (const until = Date.now() + WAIT_MS; hasRunningBoxes(directory);) {
    if (Date.now() > until)
      return fail("tool_failed", "A program runs in this draft, and could change files meanwhile.", {
        hint: "Nothing was changed. Pull when it has ended.",
      });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const unfinished = unfinishedGit(directory);
  if (unfinished === null) return strangeGit(plan);
  return fail("tool_failed", `The git of this draft is in the middle of ${unfinished}.`, {
    hint: "Nothing was changed. Finish it or abort it, then pull again.",
  });
}

/** What the layer hides and shows stays as it was made. */
function newRecord(old: DraftRecord, start: DraftRecord): DraftRecord {
  const shown = Object.keys(old.merged).map((path) => [
    path,
    start.merged[path] ?? namesIn(joinPath(old.project, path)),
  ]);
  return { ...start, begunAt: old.begunAt, sealed: old.sealed, merged: Object.fromEntries(shown) };
}
