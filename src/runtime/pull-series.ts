// Picks a session's commits, and its work that is not committed, onto a new start of its draft.
// Invariant: it changes nothing but the new start.

import type { Result } from "../shared/result.ts";
import { fail, ok } from "../shared/result.ts";
import { textOrNull } from "../git/draft/draft-git.ts";
import { firstParents } from "../git/draft/first-parents.ts";
import { spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import { exclude, excludeNested } from "./draft-git.ts";
import { passOver } from "./left-out.ts";
import { type PullGit, readId, readIds, readNames } from "./pull-git.ts";

const NAMED = 10;

/** Ids of commits: HEAD of the session, and its files with what is not committed. The same if all is committed. */
export interface SessionWork {
  readonly tip: string;
  readonly work: string;
}

/** Commits what the session has not committed, in the new start. Ignored files and repositories inside are left out. */
export async function commitWork(
  git: PullGit,
  start: string,
  leftOut: readonly string[],
): Promise<Result<SessionWork>> {
  const head = await readIds(git.own(["log", "-1", "--format=%H %T", "HEAD"]));
  const [tip, tree] = head.ok ? (head.value[0] ?? []) : [];
  if (tip === undefined || tree === undefined)
    return fail("tool_failed", "HEAD of this draft has no commit.", { hint: "Switch to a branch that has one." });
  const read = await git.outside(["read-tree", tip]);
  if (!read.ok) return read;
  const others = await readNames(git.outside(["ls-files", "-z", "--others", "--exclude-standard"]));
  if (!others.ok) return others;
  excludeNested(start, others.value);
  exclude(start, leftOut);
  const passed = await passOver(git.outside, leftOut);
  if (!passed.ok) return passed;
  const added = await git.outside(["add", "--all", "--ignore-errors"]);
  if (!added.ok) return added;
  const written = await readId(git.outside(["write-tree"]));
  if (!written.ok) return written;
  if (written.value === tree) return ok({ tip, work: tip });
  const work = await readId(git.outside(["commit-tree", "-p", tip, "-m", "Not committed", written.value]));
  return work.ok ? ok({ tip, work: work.value }) : work;
}

export interface PickedWork extends SessionWork {
  /** How many commits were picked, without the uncommitted work, and how many of them became empty. */
  readonly rebased: number;
  readonly dropped: number;
}

/** `base`: the first commit of the session. The new start must be held. */
export async function pickSeries(git: PullGit, base: string, { tip, work }: SessionWork): Promise<Result<PickedWork>> {
  const series = await firstParents({ read: (words, stdin) => git.apart(words, stdin) }, base, tip);
  if (!series.ok) return series;
  const dropped = await pick(
    git,
    series.value.chain.map(({ id }) => id),
    false,
  );
  if (!dropped.ok) return dropped;
  const newTip = await readId(git.apart(["rev-parse", "HEAD"]));
  if (!newTip.ok) return newTip;
  const rest = await pick(git, work === tip ? [] : [work], true);
  if (!rest.ok) return rest;
  const newWork = await readId(git.apart(["rev-parse", "HEAD"]));
  if (!newWork.ok) return newWork;
  const rebased = series.value.chain.length - dropped.value;
  return ok({ tip: newTip.value, work: newWork.value, rebased, dropped: dropped.value });
}

// With `-m 1`, a merge commit is its change against its first parent; other commits are as without.
const PICK = "cherry-pick --allow-empty --allow-empty-message --cleanup=verbatim -m 1".split(" ");

/** Resolves to how many became empty. */
async function pick(git: PullGit, ids: readonly string[], isUncommitted: boolean): Promise<Result<number>> {
  if (ids.length === 0) return ok(0);
  let words = [...PICK, ...ids];
  for (let dropped = 0; ; dropped += 1) {
    const picked = await git.apart(words);
    if (picked.ok) return ok(dropped);
    const stopped = await git.apart(["log", "-1", "--format=%h %s", "CHERRY_PICK_HEAD", "--"]);
    if (!stopped.ok || dropped === ids.length) return picked;
    const files = await readNames(git.apart(["diff", "--name-only", "-z", "--no-renames", "--diff-filter=U"]));
    if (!files.ok) return files;
    const commit = textOrNull(stopped.value)?.trim() ?? "";
    if (files.value.length > 0)
      return conflict(files.value, isUncommitted ? "work that is not committed" : `the commit ${commit}`);
    words = ["cherry-pick", "--skip"]; // it has become empty: the person has the same change
  }
}

/** `change`: what of the session the project's changes do not fit. */
export function conflict(paths: readonly string[], change: string): Result<never> {
  const named = paths.slice(0, NAMED).map((path) => spellWorkspacePath(path as WorkspacePath));
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  return fail("conflict", `What the project has now conflicts with ${change}, in ${named.join(", ")}${more}.`, {
    hint: 'Nothing was changed. git_pull of single `paths` with "onConflict": "keep-both" puts committed files of the project beside these; take over what is needed, undo or commit the rest, and pull again.',
  });
}
