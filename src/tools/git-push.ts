// git_push: builds the staged commit on the target's current state, so that its id is known before a person is asked, and lands exactly
// that commit.

import { z } from "zod";
import type { Operation } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import { filesOfSteps, type LandedCommit, type StagedCommit } from "../git/staged.ts";
import type { Landing, TargetReading } from "../git/target/target.ts";
import { pathsInLfs } from "../git/target/lfs.ts";
import { fail, inField, ok, type Result } from "../shared/result.ts";
import { rootPath, workspaceRoot } from "../workspace/path.ts";
import { buildPush } from "../git/publish/push/build-push.ts";
import { findInterruptedPush, type InterruptedPush, landPush } from "../git/publish/push/land-push.ts";
import { answerLanded, askedTarget } from "../git/publish/push/landed-push.ts";
import type { OpenedTarget, Targets } from "../git/publish/push/opened-target.ts";
import { notStaged, type SessionCommits, targetOrDefault } from "../git/publish/push/session-commits.ts";
import { commitIdArgument } from "./git-discard.ts";
import { gitTarget, targetOnDisk } from "./commits/git-target.ts";
import { LastLook } from "./commits/last-look.ts";
import { reviewPush } from "./commits/push-review.ts";
import type { Plan, PlanContext, TargetTool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

const pushArguments = z
  .strictObject({
    commitId: commitIdArgument,
    target: gitTarget
      .optional()
      .describe("Default: the worker's target. `branch`: else the repository's default branch."),
  })
  .meta({ examples: [{ commitId: "c-1234abcd", target: { type: "local", path: ".", branch: "feature-x" } }] });

type PushArguments = z.infer<typeof pushArguments>;

export const gitPushTool: TargetTool<PushArguments> = {
  name: "git_push",
  title: "Push a staged commit",
  description:
    "Lands a staged commit in a repository, once a person has seen its diff and agreed. Nothing is forced. The same push again gets the same answer.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: "always" },
  arguments: pushArguments,
  result: z.object({
    commitSha: z.string(),
    branch: z.string(),
    createdBranch: z.boolean(),
    previousSha: z.string().nullable(),
    target: z.string(),
    filesChanged: z.number(),
    commits: z.array(z.string()).optional().describe("The ids of a series, oldest first."),
    notes: z.array(z.string()).optional().describe("Files of the person's that were left as they are."),
  }),
  needs: "targets",
  plan: planPush,
};

async function planPush(
  { commitId, target }: PushArguments,
  context: PlanContext,
  commits: SessionCommits,
  targets: Targets,
): Promise<Result<Plan>> {
  const found = commits.staged.find(commitId, commits.session);
  if (found === undefined) {
    const landed = commits.staged.landed(commitId, commits.session);
    if (landed === undefined) return notStaged(commitId, commits);
    return planLanded(commitId, landed, target === undefined ? null : askedTarget(target, commits));
  }
  const meant = targetOrDefault(target, commits);
  if (!meant.ok) return meant;
  const staged = inRepository(found, commits.below ?? "");
  const onDisk = targetOnDisk(meant.value, context);
  const opened = inField("target", onDisk.ok ? await targets.open(onDisk.value) : onDisk);
  if (!opened.ok) return opened;
  const reading = inField("target", await opened.value.readState(filesOfSteps(staged).map(({ path }) => path)));
  if (!reading.ok) return reading;
  const asked = askedTarget(meant.value, commits);
  const interrupted = await findInterruptedPush(staged, meant.value, asked, reading.value, commits);
  if (interrupted !== null) return planInterrupted(interrupted, { staged, target: opened.value, asked }, commits);
  return await planNewPush(staged, asked, opened.value, reading.value, commits);
}

/** With the paths that its files have in a repository of which the workspace is a part. */
function inRepository(staged: StagedCommit, below: string): StagedCommit {
  if (below === "") return staged;
  const lie = (files: StagedCommit["files"]) => files.map((file) => ({ ...file, path: `${below}/${file.path}` }));
  const { files, series } = staged;
  return {
    ...staged,
    files: lie(files),
    ...(series === undefined ? {} : { series: series.map((step) => ({ ...step, files: lie(step.files) })) }),
  };
}

async function planNewPush(
  staged: StagedCommit,
  asked: LandedCommit["asked"],
  target: OpenedTarget,
  reading: TargetReading,
  commits: SessionCommits,
): Promise<Result<Plan>> {
  const author = target.author();
  const built = await buildPush(staged, reading, commits, author);
  if (!built.ok) return built;
  const { landing } = built.value;
  const inLfs = await pathsInLfs(
    landing.steps.flatMap(({ changes }) =>
      changes.flatMap(({ path, after }) => (after === null || after.mode === "120000" ? [] : [path])),
    ),
    reading,
    changedAttributes(landing),
  );
  if (inLfs.length > 0)
    return fail(
      "conflict",
      `${reading.state.address} keeps ${inLfs.slice(0, 5).join(", ")} in LFS, where nothing can be pushed to.`,
      { hint: "Stage the other files, and commit these with git lfs yourself." },
    );
  const clear = await target.check?.(landing);
  if (clear?.ok === false) return clear;
  const looked = new LastLook(commits, reading.state);
  const review = await reviewPush(staged, built.value, reading, author, commits.hashes, looked);
  if (!review.ok) return review;
  const { action: push } = review.value;
  const { address, branch, oldCommit, checkedOut: directories } = landing.state;
  const lands = { directories, files: push.files.map(({ path }) => path) };
  const effect: Effect = {
    kind: "push",
    target: address,
    branch,
    by: "tool",
    isProtected: push.isProtected,
    ...(directories.length === 0 ? {} : { lands }),
  };
  return ok({
    kind: "push",
    operation: pushOperation({ staged: staged.id, place: address, branch, old: oldCommit, commit: landing.commit }),
    effects: [effect],
    push: review.value,
    denied: () => looked.note(review.value.diff),
    async land(right) {
      const landed = await landPush({ staged, landing, target, asked }, right, commits);
      if (landed.ok) looked.note(review.value.diff);
      return landed;
    },
  });
}

function pushOperation(details: Operation["details"]): Operation {
  return { name: "git_push", path: workspaceRoot, mode: "r", details };
}

/** Repeats the reply that the push got when it landed. */
function planLanded(commitId: string, landed: LandedCommit, asked: LandedCommit["asked"] | null): Result<Plan> {
  const answer = answerLanded(commitId, landed, asked);
  if (!answer.ok) return answer;
  const details = { commit: commitId, landed: landed.result.commitSha };
  return workspacePlan("git_push", rootPath, "r", details, async () => answer);
}

function planInterrupted(
  { begun, rest }: InterruptedPush,
  { staged, target, asked }: Interrupted,
  commits: SessionCommits,
): Result<Plan> {
  const { place, branch, oldCommit, commit } = begun;
  const details = { place, branch, old: oldCommit, commit };
  if ("note" in rest) return workspacePlan("git_push", rootPath, "r", details, async () => ok(rest.note()));
  const { landing } = rest;
  return ok({
    kind: "push",
    operation: pushOperation(details),
    effects: [],
    push: null,
    land: (right) => landPush({ staged, landing, target, asked }, right, commits),
  });
}

interface Interrupted {
  readonly staged: StagedCommit;
  readonly target: OpenedTarget;
  readonly asked: LandedCommit["asked"];
}

/** The .gitattributes files that the push changes. */
function changedAttributes({ changes }: Landing): Map<string, Uint8Array | null> {
  const found = changes.filter(({ path }) => path === ".gitattributes" || path.endsWith("/.gitattributes"));
  return new Map(found.map(({ path, after }) => [path, after?.content ?? null]));
}
