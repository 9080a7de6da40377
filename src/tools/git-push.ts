// git_push: builds the staged commit on what the target is right now, so that its id is known before a person is asked,
// and lands exactly that.

import { z } from "zod";
import type { PushAction, PushFile } from "../action/action.ts";
import type { DiffFile } from "../action/diff-file.ts";
import type { Effect } from "../action/effect.ts";
import type { Author } from "../git/identity.ts";
import { diffFiles, type FilePair } from "../git/publish/diff.ts";
import { isProtectedBranch } from "../git/ref-name.ts";
import { sessionOf, type StagedCommit } from "../git/staged.ts";
import type { Landing } from "../git/target/target.ts";
import { pathsInLfs } from "../git/target/lfs.ts";
import { fail, inField, ok, type Result } from "../shared/result.ts";
import { rootPath } from "../workspace/path.ts";
import { buildCommit } from "./commits/build-push.ts";
import { commitIdArgument, notStaged } from "./git-discard.ts";
import { type GitServices, targetOrDefault } from "./commits/git-services.ts";
import { gitTarget, targetOnDisk } from "./commits/git-target.ts";
import { land, planRest } from "./commits/land-push.ts";
import { askedTarget, planLanded } from "./commits/landed-push.ts";
import { pushPairs } from "../git/publish/push-pairs.ts";
import { type PushWarnings, pushWarnings } from "../git/publish/warnings/push-warnings.ts";
import type { Plan, PlanContext, Tool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

const pushArguments = z
  .strictObject({
    commitId: commitIdArgument,
    target: gitTarget.optional().describe("Where it goes. Default: the worker's own target."),
  })
  .meta({ examples: [{ commitId: "c-1234abcd", target: { type: "local", path: ".", branch: "feature-x" } }] });

type PushArguments = z.infer<typeof pushArguments>;

export const gitPushTool: Tool<PushArguments> = {
  name: "git_push",
  title: "Push a staged commit",
  description:
    "Lands a staged commit in a repository, once a person has seen its diff there and agreed. A branch that has moved is a conflict; nothing is ever forced. The same push again gets the same answer.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: "always" },
  arguments: pushArguments,
  result: z.object({
    commitSha: z.string(),
    branch: z.string(),
    createdBranch: z.boolean(),
    previousSha: z.string().nullable(),
    target: z.string(),
    filesChanged: z.number(),
    notes: z.array(z.string()).optional().describe("Files of the person's that were left as they are."),
  }),
  plan: planPush,
};

async function planPush({ commitId, target }: PushArguments, context: PlanContext): Promise<Result<Plan>> {
  const { git } = context;
  const staged = git.staged.find(commitId, git.session);
  if (staged === undefined) {
    const landed = git.staged.landed(commitId, git.session);
    if (landed === undefined) return notStaged(commitId, git);
    return planLanded(commitId, landed, target === undefined ? null : askedTarget(target, git));
  }
  const meant = targetOrDefault(target, git);
  if (!meant.ok) return meant;
  const onDisk = targetOnDisk(meant.value, context);
  const opened = inField("target", onDisk.ok ? await git.open(onDisk.value) : onDisk);
  if (!opened.ok) return opened;
  const looked = inField("target", await opened.value.look(staged.files.map(({ path }) => path)));
  if (!looked.ok) return looked;
  const rest = await planRest(staged, meant.value, opened.value, looked.value, context);
  if (rest !== null) return rest;
  const inLfs = await pathsInLfs(
    staged.files.flatMap(({ path, after }) => (after === null || after.mode === "120000" ? [] : [path])),
    looked.value,
    stagedAttributes(staged, git),
  );
  if (inLfs.length > 0)
    return fail(
      "conflict",
      `${looked.value.state.place} keeps ${inLfs.slice(0, 5).join(", ")} in LFS, where nothing can be pushed to.`,
      {
        hint: "Stage the other files, and commit these with git lfs yourself.",
      },
    );
  const author = opened.value.author();
  const built = await buildCommit(staged, looked.value, git, author);
  if (!built.ok) return built;
  const { landing, message } = built.value;
  const clear = await opened.value.check?.(landing);
  if (clear?.ok === false) return clear;
  const pairs = await pushPairs(landing, looked.value);
  if (!pairs.ok) return pairs;
  const diff = diffFiles(pairs.value);
  const warnings = pushWarnings(staged, pairs.value, diff, git.hashes);
  const push = { ...pushAction(landing, pairs.value, author, warnings), message };
  const { place, branch, oldCommit } = landing.state;
  const details = { staged: staged.id, place, branch, old: oldCommit, commit: landing.commit };
  const plan = workspacePlan("git_push", rootPath, "r", details, () =>
    land(staged, landing, opened.value, git, askedTarget(meant.value, git)),
  );
  if (!plan.ok) return plan;
  const { checkedOut: directories } = landing.state;
  const lands = { directories, files: push.files.map(({ path }) => path) };
  const effect: Effect = {
    kind: "push",
    target: place,
    branch,
    by: "tool",
    isProtected: push.isProtected,
    ...(directories.length === 0 ? {} : { lands }),
  };
  return ok({ ...plan.value, effects: [effect], push: { action: push, diff: withWarned(diff, warnings) } });
}

/** What the commit itself makes of the attributes. */
function stagedAttributes(staged: StagedCommit, git: GitServices): Map<string, Uint8Array | null> {
  const found = staged.files.filter(({ path }) => path === ".gitattributes" || path.endsWith("/.gitattributes"));
  const session = sessionOf(staged);
  return new Map(
    found.map(({ path, after }) => [path, after === null ? null : git.staged.content(after.contentHash, session)]),
  );
}

function withWarned(diff: readonly DiffFile[], { warned }: PushWarnings): DiffFile[] {
  return diff.map((file) => {
    const said = warned.get(file.path);
    return said === undefined ? file : { ...file, warned: said };
  });
}

function pushAction(
  { state, commit }: Landing,
  pairs: readonly FilePair[],
  { name, email, guessed, passedOver }: Author,
  { lines, isDisguised }: PushWarnings,
): Omit<PushAction, "message"> {
  const files = pairs.map(({ path, before, after }): PushFile => ({
    path,
    operation: after === null ? "delete" : before === null ? "create" : "update",
    size: after?.content.length ?? 0,
  }));
  return {
    place: state.place,
    branch: state.branch,
    isNewBranch: state.oldCommit === null,
    ...(state.newOn === undefined ? {} : { newOn: state.newOn }),
    isProtected: isProtectedBranch(state.branch, state.defaultBranch),
    oldCommit: state.oldCommit,
    commit,
    author: `${name} <${email}>`,
    files,
    warnings: [...lines, ...guessedAuthor(guessed), ...otherAuthor(passedOver ?? [])],
    ...(isDisguised ? { isDisguised } : {}),
  };
}

function guessedAuthor(guessed: readonly string[]): string[] {
  return guessed.length === 0 ? [] : [`the author is a guess: git has no ${guessed.join(" and no ")} for you`];
}

function otherAuthor(passedOver: readonly string[]): string[] {
  if (passedOver.length === 0) return [];
  return [
    `the author is not the repository's own (${passedOver.join(", ")}): an agent can change that; git.author of the configuration would say who commits`,
  ];
}
