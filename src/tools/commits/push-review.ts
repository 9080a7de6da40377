// What a person reviews of a push: the diff of each commit, with warnings, and everything else that the push would do.

import type { PushAction, PushCommit, PushFile } from "../../action/action.ts";
import type { DiffFile } from "../../action/diff-file.ts";
import type { Author } from "../../git/identity.ts";
import { diffFiles, type FilePair } from "../../git/publish/diff.ts";
import { pushPairs } from "../../git/publish/push-pairs.ts";
import type { BuiltPush } from "../../git/publish/push/build-push.ts";
import { type PushWarnings, pushWarnings, type ReviewedCommit } from "../../git/publish/warnings/push-warnings.ts";
import { isProtectedBranch } from "../../git/ref-name.ts";
import type { StagedCommit } from "../../git/staged.ts";
import type { LandedFile, TargetReading } from "../../git/target/target.ts";
import type { Hashes } from "../../shared/hash.ts";
import { ok, type Result } from "../../shared/result.ts";
import type { LastLook } from "./last-look.ts";

interface PushReview {
  readonly action: PushAction;
  /** Commit by commit. */
  readonly diff: readonly DiffFile[];
}

export async function reviewPush(
  staged: StagedCommit,
  built: BuiltPush,
  reading: TargetReading,
  author: Author,
  hashes: Hashes,
  looked: LastLook,
): Promise<Result<PushReview>> {
  const { steps } = built.landing;
  const all = await pushPairs(built.landing, reading);
  if (!all.ok) return all;
  const commits = steps.map((step, at): ReviewedCommit => {
    const pairs = all.value[at] ?? [];
    const [subject = ""] = built.messages[at]?.split("\n", 1) ?? [];
    const commit = { number: at + 1, of: steps.length, id: step.commit, subject };
    const diff = diffFiles(pairs).map((file): DiffFile => (steps.length === 1 ? file : { ...file, commit }));
    return { pairs, diff };
  });
  const warnings = pushWarnings(staged, commits, hashes, built.followed);
  const diff = looked.compare(commits.flatMap((each) => withWarned(each.diff, warnings)));
  return ok({ action: pushAction(built, commits, warnings, author), diff });
}

function withWarned(diff: readonly DiffFile[], { warned }: PushWarnings): DiffFile[] {
  return diff.map((file) => {
    const warning = warned.get(file.path);
    return warning === undefined ? file : { ...file, warned: warning };
  });
}

function pushAction(
  { landing, messages }: BuiltPush,
  commits: readonly ReviewedCommit[],
  { lines, isDisguised }: PushWarnings,
  { name, email, guessed, passedOver }: Author,
): PushAction {
  const { state, commit, steps, changes } = landing;
  const series = steps.map((step, at): PushCommit => ({
    commit: step.commit,
    message: messages[at] ?? "",
    files: (commits[at]?.pairs ?? []).map(pushFile),
  }));
  return {
    place: state.address,
    branch: state.branch,
    isNewBranch: state.oldCommit === null,
    ...(state.newOn === undefined ? {} : { newOn: state.newOn }),
    isProtected: isProtectedBranch(state.branch, state.defaultBranch),
    oldCommit: state.oldCommit,
    commit,
    message: messages.at(-1) ?? "",
    author: `${name} <${email}>`,
    ...(series.length === 1 ? {} : { commits: series }),
    files: series.length === 1 ? (series[0]?.files ?? []) : changes.map(pushFile).sort(byPath),
    warnings: [...lines, ...guessedAuthor(guessed), ...otherAuthor(passedOver ?? [])],
    ...(isDisguised ? { isDisguised } : {}),
  };
}

function pushFile({ path, before, after }: LandedFile | FilePair): PushFile {
  return {
    path,
    operation: after === null ? "delete" : before === null ? "create" : "update",
    size: after?.content.length ?? 0,
  };
}

const byPath = (a: PushFile, b: PushFile) => (a.path < b.path ? -1 : 1);

function guessedAuthor(guessed: readonly string[]): string[] {
  return guessed.length === 0 ? [] : [`the author is a guess: git has no ${guessed.join(" and no ")} for you`];
}

function otherAuthor(passedOver: readonly string[]): string[] {
  if (passedOver.length === 0) return [];
  return [
    `the author is not the repository's own (${passedOver.join(", ")}): an agent can change that; git.author of the configuration would say who commits`,
  ];
}
