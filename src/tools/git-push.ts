// git_push: builds the staged commit on what the target is right now, so that its id is known before a person is asked,
// and lands exactly that.

import { z } from "zod";
import type { PushAction, PushFile } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import { agentTrailer, encodeCommit, type Signature } from "../git/publish/commit.ts";
import { diffFiles, type FilePair } from "../git/publish/diff.ts";
import { objectHash } from "../git/object-hash.ts";
import { type GitObject, makeObject } from "../git/publish/object.ts";
import { buildTree, type BuiltTree, type FileChange } from "../git/publish/tree.ts";
import { isProtectedBranch } from "../git/ref-name.ts";
import { contentHash, type StagedCommit } from "../git/staged.ts";
import type { LandedFile, Landing, LookedAt } from "../git/target/target.ts";
import { pathsInLfs } from "../git/target/lfs.ts";
import { executedPart } from "../policy/executed-later.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { rootPath } from "../workspace/path.ts";
import { commitIdArgument, notStaged } from "./git-discard.ts";
import { type GitServices, type OpenedTarget, targetOrDefault } from "./git-services.ts";
import { gitTarget } from "./git-target.ts";
import type { Plan, PlanContext, Tool } from "./tool.ts";
import { workspacePlan } from "./workspace-plan.ts";

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
    "Lands a staged commit in a repository, once a person has seen its diff there and agreed. A branch that has moved is a conflict; nothing is ever forced.",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: "always" },
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
  if (staged === undefined) return notStaged(commitId);
  const meant = targetOrDefault(target, git);
  if (!meant.ok) return meant;
  const opened = await git.open(meant.value);
  if (!opened.ok) return opened;
  const looked = await opened.value.look(staged.files.map(({ path }) => path));
  if (!looked.ok) return looked;
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
  const built = await buildCommit(staged, looked.value, git);
  if (!built.ok) return built;
  const { landing, tree } = built.value;
  const pairs = await filePairs(tree, landing, looked.value);
  const push = pushAction(staged, landing, pairs, git);
  const { place, branch, oldCommit } = landing.state;
  const details = { place, branch, old: oldCommit, commit: landing.commit };
  const plan = workspacePlan("git_push", rootPath, "r", details, () => land(staged, landing, opened.value, git));
  if (!plan.ok) return plan;
  const effect: Effect = { kind: "push", target: place, branch, by: "tool", isProtected: push.isProtected };
  return ok({ ...plan.value, effects: [effect], push: { action: push, diff: diffFiles(pairs) } });
}

/** What the commit itself makes of the attributes. */
function stagedAttributes({ files, session }: StagedCommit, git: GitServices): Map<string, Uint8Array | null> {
  const found = files.filter(({ path }) => path === ".gitattributes" || path.endsWith("/.gitattributes"));
  return new Map(
    found.map(({ path, after }) => [path, after === null ? null : git.staged.content(after.contentHash, session)]),
  );
}

/** Its id is that of the same bytes on the same base, staged then: a retried push has the same, and finds its answer. */
async function buildCommit(
  staged: StagedCommit,
  looked: LookedAt,
  git: GitServices,
): Promise<Result<{ landing: Landing; tree: BuiltTree }>> {
  const { state } = looked;
  const hash = objectHash(state.format);
  const blobs = new Map<string, GitObject>();
  const changes: FileChange[] = [];
  for (const { path, after } of staged.files) {
    if (after === null) {
      changes.push({ path, mode: null });
      continue;
    }
    const blob = await makeObject(hash, "blob", git.staged.content(after.contentHash, staged.session));
    blobs.set(blob.id, blob);
    changes.push({ path, mode: after.mode, id: blob.id, size: after.size });
  }
  const tree = await buildTree(state.baseTree, changes, { hash, source: { read: (id) => looked.readTree(id) } });
  if (!tree.ok) return tree;
  if (tree.value.id === state.baseTree)
    return fail("conflict", `${state.place} has all of this already on ${state.branch}.`, {
      hint: "Nothing is left to push: git_discard it.",
    });
  const signature = signatureAt(staged.createdAt, git);
  const content = encodeCommit({
    tree: tree.value.id,
    parents: state.baseCommit === null ? [] : [state.baseCommit],
    author: signature,
    committer: signature,
    message: staged.message,
    trailers: [agentTrailer(staged.agent)],
  });
  if (!content.ok) return content;
  const commit = await makeObject(hash, "commit", content.value);
  const objects = [
    ...new Map([...blobs.values(), ...tree.value.objects, commit].map((object) => [object.id, object])).values(),
  ];
  const landed = tree.value.changes.map(({ path, before, after }): LandedFile => ({
    path,
    before,
    after: after === null ? null : { ...after, content: blobs.get(after.id)?.content ?? new Uint8Array() },
  }));
  return ok({ tree: tree.value, landing: { state, commit: commit.id, objects, changes: landed } });
}

function signatureAt(time: number, git: GitServices): Signature {
  // In UTC: the same wherever it is built again.
  return { ...git.author(), timeS: Math.floor(time / 1000), offsetMinutes: 0 };
}

async function filePairs(tree: BuiltTree, { changes }: Landing, looked: LookedAt): Promise<FilePair[]> {
  const ids = tree.changes.flatMap(({ before }) => (before === null || before.mode === "160000" ? [] : [before.id]));
  const contents = await looked.readBlobs([...new Set(ids)]);
  // In the order of paths, as the diff has them.
  return changes
    .map(({ path, before, after }) => ({
      path,
      before: before === null ? null : { ...before, content: contents.get(before.id) ?? new Uint8Array() },
      after,
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function pushAction(
  staged: StagedCommit,
  { state, commit }: Landing,
  pairs: readonly FilePair[],
  git: GitServices,
): PushAction {
  const { name, email } = git.author();
  const files = pairs.map(({ path, before, after }): PushFile => ({
    path,
    operation: after === null ? "delete" : before === null ? "create" : "update",
    size: after?.content.length ?? 0,
  }));
  return {
    place: state.place,
    branch: state.branch,
    isNewBranch: state.oldCommit === null,
    isProtected: isProtectedBranch(state.branch, state.defaultBranch),
    oldCommit: state.oldCommit,
    commit,
    message: staged.message,
    author: `${name} <${email}>`,
    files,
    warnings: warningsOf(staged, pairs),
  };
}

function warningsOf(staged: StagedCommit, pairs: readonly FilePair[]): string[] {
  const pulled = new Map(staged.files.map((file) => [file.path, file]));
  const warnings: string[] = [];
  for (const { path, before, after } of pairs) {
    const was = pulled.get(path)?.before ?? null;
    const isMoved =
      was === null
        ? before !== null
        : before?.content.length !== was.size || contentHash(before.content) !== was.contentHash;
    const size = after?.content.length ?? 0;
    if (executedPart(`/${path}`) !== null) warnings.push(`${path}: others execute it later`);
    if (path.endsWith(".gitattributes")) warnings.push(`${path}: it changes how other files are stored`);
    if (size > limits.pushWarnBytes) warnings.push(`${path}: ${size} bytes`);
    if (isMoved) warnings.push(`${path}: in the target it is not what was pulled`);
  }
  return warnings;
}

async function land(
  staged: StagedCommit,
  landing: Landing,
  target: OpenedTarget,
  git: GitServices,
): Promise<Result<Record<string, unknown>>> {
  const { state, commit, changes } = landing;
  const landed = await target.land(landing, git.progress);
  if (!landed.ok) return landed;
  git.note("commit.pushed", {
    commit: staged.id,
    sha: commit,
    place: state.place,
    branch: state.branch,
    old: state.oldCommit,
  });
  const now = staged.files.flatMap(({ path, after }) =>
    after === null ? [] : [{ path, ...after, source: state.place, commit }],
  );
  const gone = staged.files.filter(({ after }) => after === null).map(({ path }) => path);
  git.staged.noteLanded(staged.id, git.session, now, gone);
  return ok({
    commitSha: commit,
    branch: state.branch,
    createdBranch: state.oldCommit === null,
    previousSha: state.oldCommit,
    target: state.place,
    filesChanged: changes.length,
    ...(landed.value.length === 0 ? {} : { notes: landed.value }),
  });
}
